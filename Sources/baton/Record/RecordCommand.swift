import ArgumentParser
import BatonRecord

/// `baton record`: reads what a server wrote of the messages that ended.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Check, search and erase in the record of a server.",
    discussion: """
      A server with record: in its file writes a line for each message that ended. These commands read its folder; they need \
      no server, and one may write meanwhile.

      EXAMPLES:
        baton record verify /var/lib/baton/record --key record.pub
        baton record find /var/lib/baton/record --status rejected --since 24h
        baton record show /var/lib/baton/record 1207
        baton record erase /var/lib/baton/record --key order-17
      """,
    subcommands: [RecordVerify.self, RecordFind.self, RecordShow.self, RecordErase.self])

  /// Prints what is wrong with a record, and ends the program.
  static func telling<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as RecordError {
      talk("baton: \(error.description)".displaySafe)
      throw ExitCode.failure
    }
  }
}

/// `baton record verify`: finds out whether a record holds.
struct RecordVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check each line, hash and signature of a record.",
    discussion: """
      Without a key, it shows that nothing was damaged or lost in the middle. With the keys of heads, it shows that nobody \
      without the private key changed it. That its end is not cut off is shown only by heads that were kept elsewhere \
      (--heads). The exit code is 1 if something is wrong.

      EXAMPLES:
        baton record verify /var/lib/baton/record
        baton record verify /var/lib/baton/record --key record.pub --heads heads.jsonl
        baton subscribe '$baton.record.head' --json >> heads.jsonl
      """)

  @Argument(help: ArgumentHelp("The folder of the record.", valueName: "folder"), completion: .directory)
  var folder: String

  @Option(
    help: ArgumentHelp(
      "A public key (PEM) whose heads count; as often as needed. Heads with other keys are wrong then.",
      valueName: "file"), completion: .file())
  var key: [String] = []

  @Option(
    help: ArgumentHelp(
      "Heads that were kept elsewhere: each is looked for. Lines of baton subscribe --json, or their payloads.",
      valueName: "file"), completion: .file())
  var heads: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let found = try RecordCommand.telling {
      let keys = try key.map { try RecordKey(pem: try RecordFolder.read($0), path: $0, isPrivate: false) }
      let known = try heads.map { try KnownHeads.read($0) } ?? []
      return try RecordVerifier(RecordFolder(folder), keys: keys, heads: known).verify()
    }
    let told = ToldVerification(found, checksKeys: !key.isEmpty)
    if json { try put(json: told.json) } else { for line in told.lines { try put(line.displaySafe) } }
    if !found.bad.isEmpty { throw ExitCode.failure }
  }
}

/// `baton record erase`: takes contents out.
struct RecordErase: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Take keys, words and payloads out of a record.",
    discussion: """
      The lines of the chain stay: the record still verifies, and verify counts what was erased. Of the file that a server \
      writes now nothing is taken; baton reload begins the next one.

      EXAMPLES:
        baton record erase /var/lib/baton/record --key order-17
        baton record erase /var/lib/baton/record --n 1207
        baton record erase /var/lib/baton/record --before 2026-01-01
      """)

  @Argument(help: ArgumentHelp("The folder of the record.", valueName: "folder"), completion: .directory)
  var folder: String

  @Option(help: ArgumentHelp("The contents of the line of this number.", valueName: "n"), transform: SaidWords.whole)
  var n: Int?

  @Option(help: "The contents of all messages with this key.")
  var key: String?

  @Option(help: ArgumentHelp("The contents of all messages that ended before this day.", valueName: "yyyy-mm-dd"))
  var before: String?

  func validate() throws {
    guard [n != nil, key != nil, before != nil].count(where: { $0 }) == 1 else {
      throw ValidationError("say what is to be erased: one of --n, --key and --before")
    }
    if let before { _ = try RecordTime.parsed(before, "--before") }
  }

  func run() throws {
    let limit = try before.map { try RecordTime.parsed($0, "--before") }
    let outcome = try RecordCommand.telling {
      try RecordEraser(RecordFolder(folder)).erase { line, contents in
        if let n { return line.n == n }
        if let key { return contents.text("key") == key }
        return limit.map { line.at < $0 } ?? false
      }
    }
    try put("erased: the contents of \(counted(outcome.erased, "message", "messages"))")
    guard outcome.left > 0 else { return }
    talk(
      "baton: \(counted(outcome.left, "message is", "messages are")) in the file that a server writes now, and "
        + "nothing of it was erased; let the server begin the next one (baton reload), and erase again")
    throw ExitCode.failure
  }
}
