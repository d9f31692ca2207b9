import BatonClient
import Synchronization

/// Which context counts: the one that is named, or the one in use where nobody names a server. What an option or a
/// variable says wins over what the context has.
enum ContextChoice {
  static let variable = "BATON_CONTEXT"
  private static let serverVariable = "BATON_SERVER"

  /// Each name that was asked for, so that the file is read once. The empty name stands for none.
  private static let found = Mutex<[String: Context?]>([:])

  /// `name` and `server` are those of the options `--context` and `--server`. Nil if no context counts.
  static func find(named name: String?, server: String?) throws(ContextTrouble) -> Context? {
    if let known = found.withLock({ $0[name ?? ""] }) { return known }
    let context = try look(named: name, server: server)
    found.withLock { $0[name ?? ""] = .some(context) }
    return context
  }

  private static func look(named name: String?, server: String?) throws(ContextTrouble) -> Context? {
    if let name {
      // The token of one server would go to another one.
      guard server == nil else {
        throw ContextTrouble("--context \(name) names a server, and --server names one, too; leave one of them out")
      }
      return try context(name, of: "--context")
    }
    guard server == nil, Environment[serverVariable] == nil else { return nil }
    if let name = Environment[variable] { return try context(name, of: variable) }
    let file = try ContextFile.read()
    return file.used.flatMap { file[$0] }
  }

  private static func context(_ name: String, of origin: String) throws(ContextTrouble) -> Context {
    let file = try ContextFile.read()
    if let context = file[name] { return context }
    throw missing(name, in: file, of: origin)
  }

  /// There is no such context.
  static func missing(_ name: String, in file: ContextFile, of origin: String? = nil) -> ContextTrouble {
    let names = file.contexts.map(\.name)
    let hint =
      names.isEmpty
      ? "there are none; baton context add NAME --server PLACE makes one"
      : "there are \(names.joined(separator: ", "))"
    return ContextTrouble((origin.map { "\($0): " } ?? "") + "there is no context \"\(name)\"; \(hint)")
  }

  /// Who says which context counts where a command names none: a variable, or the file. Nil if none does.
  static func current(in file: ContextFile) -> (name: String, variable: String?)? {
    if Environment[serverVariable] != nil { return nil }
    if let name = Environment[variable] { return (name, variable) }
    return file.used.map { ($0, nil) }
  }

  /// The words for people whose variable wins over what they have chosen; nil if none does.
  static var warning: String? {
    if Environment[serverVariable] != nil {
      return "BATON_SERVER is set: it names the server, and no context counts but that of --context"
    }
    return Environment[variable].map { "BATON_CONTEXT is set: \($0) counts, whatever is in use" }
  }
}
