import ArgumentParser
import BatonClient

/// `baton context list`: the servers that have names.
struct ContextList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the servers that have names, and which one is in use.",
    discussion: """
      The one in use has a star. In a pipe there is a header, and tabs between the fields.

      EXAMPLES:
        baton context list
        baton context list --json | jq -r '.contexts[] | select(.in_use).server'
      """)

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let file = try ContextCommand.telling { try ContextFile.read() }
    let current = ContextChoice.current(in: file)?.name
    if json {
      let all = file.contexts.map { $0.json(isInUse: $0.name == current) }.joined(separator: ",")
      return try put(json: "{\"contexts\":[\(all)]}")
    }
    guard Terminal.isOutput else {
      try put(tabbed(["in_use", "name", "server", "token_file", "tls_ca"]))
      for context in file.contexts {
        try put(
          tabbed([
            context.name == current ? "*" : "", context.name, context.server, context.tokenFile ?? "", context.ca ?? "",
          ]))
      }
      return
    }
    if file.contexts.isEmpty { return talk("No server has a name; baton context add NAME --server PLACE gives one.") }
    try table(file.contexts, current).put()
    ContextCommand.warn()
  }

  private func table(_ contexts: [Context], _ current: String?) -> TextTable {
    var table = TextTable(columns: [
      .init(title: "", importance: 5), .init(title: "NAME", importance: 4, least: 8),
      .init(title: "SERVER", importance: 3, least: 12), .init(title: "TOKEN FILE", importance: 2, least: 10),
    ])
    table.rows = contexts.map { context in
      let isInUse = context.name == current
      return .cells([
        .init(isInUse ? "*" : "", .green), .init(context.name, .bold), .init(context.server),
        .init(context.tokenFile ?? "", .dim),
      ])
    }
    return table
  }
}

/// `baton context show`: what a context has.
struct ContextShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show what a context has: the one of that name, or the one in use.",
    discussion: """
      EXAMPLES:
        baton context show
        baton context show shop --json
      """)

  @Argument(help: "The name of a context.", completion: Completing.context, transform: Context.checked)
  var name: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let (context, current) = try ContextCommand.telling {
      let file = try ContextFile.read()
      let current = ContextChoice.current(in: file)?.name
      guard let name = name ?? current else {
        throw ContextTrouble(ContextChoice.warning ?? "no context is in use; baton context use NAME says which one is")
      }
      guard let context = file[name] else { throw ContextChoice.missing(name, in: file) }
      return (context, current)
    }
    if json { return try put(json: context.json(isInUse: context.name == current)) }
    try put(tabbed(["name", context.name]))
    for (key, values) in context.values { for value in values { try put(tabbed([key, value])) } }
  }
}

extension Context {
  fileprivate func json(isInUse: Bool) -> String {
    var members = ["\"name\":\(Payload(text: name).json)"]
    for (key, values) in values {
      let texts = values.map { Payload(text: $0).json }
      let value = key == "tls_pin" ? "[\(texts.joined(separator: ","))]" : key == "plain_token" ? "true" : texts[0]
      members.append("\"\(key)\":\(value)")
    }
    if isInUse { members.append("\"in_use\":true") }
    return "{\(members.joined(separator: ","))}"
  }
}
