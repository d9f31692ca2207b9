import BatonClient

/// What a reload changes, or would change: the server's answer to `reload` (contract, section 11). What lets messages pass
/// that were stopped before stands first.
struct ToldChanges {
  let changed, restart: [String]
  private let links: [Link]
  private let warnings: [(place: String, message: String)]

  /// What changes at one declared link.
  private struct Link {
    let what, name: String
    let settings: [String]
    let isUnguarded: Bool

    var words: String {
      let settings = settings.isEmpty ? "" : " (\(settings.joined(separator: ", ")))"
      return "\(name) \(what)\(settings)" + (isUnguarded ? ": it lets messages pass that were stopped before" : "")
    }
  }

  init(_ reply: ServerLine) {
    changed = reply.texts("changed")
    restart = reply.texts("restart")
    links = reply.objects("changed_links").map { link in
      let name = link.text("handler") ?? link.text("mount") ?? ""
      return Link(
        what: link.text("what") ?? "", name: "\(link.text("chain") ?? "")/\(name)", settings: link.texts("settings"),
        isUnguarded: link.flag("unguarded"))
    }
    warnings = reply.objects("warnings").map {
      ("\($0.integer("line") ?? 1):\($0.integer("column") ?? 1)", $0.text("message") ?? "")
    }
  }

  var isEmpty: Bool { changed.isEmpty && restart.isEmpty }

  /// For programs: `changed` or `restart` and a name; `link`, what happens to it, its place, its settings, and `unguarded`;
  /// `warning`, its place in the file, and what it says.
  var fields: [String] {
    changed.map { tabbed(["changed", $0]) } + restart.map { tabbed(["restart", $0]) }
      + links.map {
        tabbed(["link", $0.what, $0.name, $0.settings.joined(separator: ","), $0.isUnguarded ? "unguarded" : ""])
      } + warnings.map { tabbed(["warning", $0.place, $0.message]) }
  }

  /// For people: the warnings first, then the links.
  func lines(paint: Paint) -> [String] {
    let loud = warnings.map { paint("warning: \($0.message) (\($0.place))".displaySafe, .red) }
    return loud + links.map { paint("  \($0.words)".displaySafe, $0.isUnguarded ? .red : nil) }
  }
}
