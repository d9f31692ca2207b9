import ArgumentParser
import BatonCore
import BatonRecord

/// `baton record find`: looks for messages.
struct RecordFind: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Look for messages in records.",
    discussion: """
      Several folders are told together, by time. In a pipe there is a header, and tabs between the fields. With --json each \
      message is one object: the line of the chain, with what was kept beside it as "kept". What was erased is not found by \
      --key and --text.

      EXAMPLES:
        baton record find /var/lib/baton/record --status rejected --since 24h
        baton record find /var/lib/baton/record --key order-17 --json
        baton record find /srv/a/record /srv/b/record --by policy --text 'not allowed'
      """)

  @Argument(help: ArgumentHelp("The folders of records.", valueName: "folder"), completion: .directory)
  var folders: [String]

  @Option(help: "Only messages that ended so.")
  var status: WalkFilter.Status?

  @Option(help: ArgumentHelp("Only messages that this handler ended.", valueName: "handler"))
  var by: String?

  @Option(help: "Only messages that were sent to this chain.")
  var chain: String?

  @Option(help: ArgumentHelp("Only messages whose topic matches.", valueName: "pattern"))
  var topic: String?

  @Option(help: "Only messages with this key.")
  var key: String?

  @Option(help: "Only messages from this sender: its name or identity.")
  var from: String?

  @Option(
    help: ArgumentHelp("Only messages that ended since then: a day or time (UTC), or how long ago.", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("Only messages that ended before that.", valueName: "time"))
  var until: String?

  @Option(help: ArgumentHelp("Only messages in whose words, payload or meta this stands.", valueName: "word"))
  var text: String?

  @Flag(help: "Print a JSON object for each.")
  var json = false

  func validate() throws {
    if let topic, let complaint = complaint(pattern: topic) {
      throw ValidationError("the pattern \"\(topic)\" \(complaint)")
    }
    _ = try (since.map { try RecordTime.parsed($0, "--since") }, until.map { try RecordTime.parsed($0, "--until") })
  }

  func run() throws {
    let since = try since.map { try RecordTime.parsed($0, "--since") }
    let until = try until.map { try RecordTime.parsed($0, "--until") }
    let isOne = folders.count == 1
    var found: [RecordedMessage] = []
    if !json, !Terminal.isOutput { try put(RecordFind.titles) }
    try RecordCommand.telling {
      for folder in folders {
        try RecordReader(RecordFolder(folder)).each { line, contents in
          if let since, line.at < since { return true }
          if let until, line.at >= until { return true }
          let message = RecordedMessage(line: line, contents: contents)
          guard line.kind == "end", fits(message) else { return true }
          if isOne { try tell(message) } else { found.append(message) }
          return true
        }
      }
    }
    for message in found.sorted(by: { $0.line.at < $1.line.at }) { try tell(message) }
  }

  private func fits(_ message: RecordedMessage) -> Bool {
    let line = message.line
    if let status, line.text("status") != status.rawValue { return false }
    if let by, line.text("by") != by { return false }
    if let chain, line.text("chain") != chain { return false }
    if let from, line.text("from") != from, line.text("identity") != from { return false }
    if let topic, !matches(topic: line.text("topic") ?? "", pattern: topic) { return false }
    if let key, message.contents?.text("key") != key { return false }
    return text.map { message.has($0) } ?? true
  }

  private static let titles = tabbed(["at", "n", "chain", "topic", "from", "status", "by", "why"])

  private func tell(_ message: RecordedMessage) throws {
    if json { return try put(message.json) }
    let (line, walk) = (message.line, message.walk)
    let fields = [
      line.at, "\(line.n)", line.text("chain") ?? "", line.text("topic") ?? "", line.text("from") ?? "",
      line.text("status") ?? "", line.text("by") ?? "", walk?.story.reason ?? "",
    ]
    try put(
      Terminal.isOutput ? fields.filter { !$0.isEmpty }.map(\.displaySafe).joined(separator: "  ") : tabbed(fields))
  }
}

/// `baton record show`: tells of one message.
struct RecordShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one message of a record, link by link.",
    discussion: """
      A message is named by the number of its line (n), or by the start of the server and its walk, as START/WALK.

      EXAMPLES:
        baton record show /var/lib/baton/record 1207
        baton record show /var/lib/baton/record 1207 --json | jq .kept
      """)

  @Argument(help: ArgumentHelp("The folder of the record.", valueName: "folder"), completion: .directory)
  var folder: String

  @Argument(help: ArgumentHelp("n, or START/WALK.", valueName: "message"))
  var message: String

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    let parts = message.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let number = parts.last.flatMap({ Int($0) }), number > 0 else {
      throw ValidationError("<message> is the number of a line, or START/WALK")
    }
  }

  func run() throws {
    let parts = message.split(separator: "/").map(String.init)
    var found: RecordedMessage?
    try RecordCommand.telling {
      try RecordReader(RecordFolder(folder)).each { line, contents in
        let isIt =
          parts.count == 1
          ? line.n == Int(parts[0]) : line.number("walk") == Int(parts[1]) && line.text("start") == parts[0]
        if isIt { found = RecordedMessage(line: line, contents: contents) }
        return !isIt
      }
    }
    guard let found else {
      talk("baton: the record has no such message; baton record find looks for others")
      throw ExitCode.failure
    }
    if json { return try put(found.json) }
    for fact in found.facts { try put(fact.displaySafe) }
    guard let walk = found.walk else { return }
    for line in FailedWalks.lines(of: walk, within: Terminal.size.columns, paint: .output) { try put(line) }
  }
}
