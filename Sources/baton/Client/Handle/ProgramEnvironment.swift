import BatonClient
import UV

/// The environment of a handler's programs: the environment of this program, and variables for a message.
struct ProgramEnvironment: Sendable {
  private let inherited: [String]

  private static let names: Set<String> = [
    "BATON_OP", "BATON_TOPIC", "BATON_FROM", "BATON_CHAIN", "BATON_HANDLER", "BATON_WALK", "BATON_KEY", "BATON_META",
    "BATON_META_FD",
    "BATON_TIMEOUT_MS", "BATON_AGAIN", "BATON_SHADOW", "BATON_FOR", "BATON_STORED", "BATON_TRY",
    "BATON_RESENT", "BATON_WITHIN", "BATON_WHEN", "BATON_TOGETHER", "TRACEPARENT",
  ]

  /// The place is said anew. A token is for this program, and not for what it starts.
  private static let kept: Set<String> = ["BATON_SERVER", "BATON_CONTEXT", "BATON_TOKEN", "BATON_TOKEN_FILE"]

  /// With the server's place, and its authorities if they are given, so that a program can ask it something.
  init(place: String, authorities: String? = nil) throws {
    let said = ["BATON_SERVER=\(place)"] + (authorities.map { ["BATON_TLS_CA=\($0)"] } ?? [])
    inherited =
      try Executable.environment()
      .filter { !Self.names.contains($0.name) && !Self.kept.contains($0.name) }
      .filter { authorities == nil || $0.name != "BATON_TLS_CA" }
      .map { "\($0.name)=\($0.value)" } + said
  }

  /// For a program that serves many messages.
  var variables: [String] { inherited }

  /// A variable of more bytes may make a program impossible to start.
  private static let mostMeta = 64 << 10

  /// The meta of a message that is too long for a variable, as a file that the program reads; nil for other messages.
  func file(for message: Message) throws(UVError) -> ChildFile? {
    guard isMetaInFile(message), let meta = message.meta else { return nil }
    return try ChildFile(meta.bytes)
  }

  private func isMetaInFile(_ message: Message) -> Bool { (message.meta?.bytes.count ?? 0) > Self.mostMeta }

  /// For a program that serves one message. Variables that do not apply to the message are left out.
  func variables(for message: Message) -> [String] {
    var known: [(String, String?)] = [
      ("OP", message.isNotice ? "notice" : "offer"), ("TOPIC", message.topic), ("FROM", message.from),
      ("CHAIN", message.chain), ("HANDLER", message.handler), ("WALK", "\(message.walk)"), ("KEY", message.key),
      isMetaInFile(message) ? ("META_FD", "\(ChildFile.childsNumber)") : ("META", message.meta?.json),
    ]
    known.append(("TIMEOUT_MS", message.timeout.map { "\(Int($0 / .milliseconds(1)))" }))
    // A program that sends with baton says so how many messages led to its own.
    known.append(("WITHIN", "\(message.within + 1)"))
    if message.isAgain { known.append(("AGAIN", "1")) }
    if message.isShadow { known.append(("SHADOW", "1")) }
    if message.isDoubtful { known.append(("WHEN", "unknown")) }
    if message.isTogether { known.append(("TOGETHER", "1")) }
    known += [("STORED", message.stored), ("TRY", message.try.map(String.init)), ("RESENT", message.resent)]
    if message.isBroadcast { known.append(("FOR", "broadcast")) }
    let traceparent = message.traceparent.map { ["TRACEPARENT=\($0)"] } ?? []
    return inherited + traceparent + known.compactMap { name, value in value.map { "BATON_\(name)=\($0)" } }
  }
}
