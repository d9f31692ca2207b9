import ArgumentParser
import BatonClient
import BatonCore

/// `baton man`: pages of the manual, made from the help texts.
struct Man: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print a page of the manual, or write all of them into a directory.",
    discussion: """
      EXAMPLES:
        baton man | man -l -
        baton man send | man -l -
        baton man --into /usr/local/share/man/man1
      """)

  @Argument(help: "The subcommand that the page describes. Without it, the page describes baton.")
  var subcommand: [String] = []

  @Option(help: ArgumentHelp("Write all pages into this directory.", valueName: "directory"), completion: .directory)
  var into: String?

  func validate() throws {
    if into != nil, !subcommand.isEmpty { throw ValidationError("--into writes all pages; name no subcommand") }
    if into == "" { throw ValidationError("--into has no name of a directory; write . for this one") }
  }

  func run() throws {
    let pages = ManualPage.all(of: try CommandInfo.of(BatonCommand.self))
    if let into {
      for page in pages { try write(page.text, toFile: "\(into)/\(page.name).1") }
      return
    }
    let name = (["baton"] + subcommand).joined(separator: "-")
    guard let page = pages.first(where: { $0.name == name }) else {
      let nearest = nearestName(to: name, among: pages.map(\.name))
      let hint = nearest.map { "did you mean \($0)?" } ?? "baton --help lists the subcommands, and each has a page"
      throw ValidationError("there is no page \(name); \(hint)")
    }
    try put(page.text)
  }
}
