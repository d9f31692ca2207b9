import ArgumentParser
import BatonClient
import BatonConfig
import BatonCore

/// `baton config may`: says whether a peer of the file may do something, and because of which right.
struct ConfigMay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "may",
    abstract: "Ask the configuration file whether a peer may do something.",
    discussion: """
      The question is written like a right: what stands in the file, for one chain and one topic, or for many. The \
      answer is the right that allows it, with its line, or what would have to be there. The exit code is 0 if it is \
      allowed, 1 if it is not, and 64 if the file or the question is wrong. With --json one object has the rights that \
      allow it ("by"), or each way to allow it, with the rights that are missing for it ("needs").

      EXAMPLES:
        baton config may chat-web 'send to main on door.open' baton.yaml
        baton config may moderator 'serve moderation/words' --config baton.yaml
      """)

  @Argument(help: "The peer: a name under peers, or anonymous.")
  var peer: String

  @Argument(help: "What it wants to do, written like a right.")
  var right: String

  @Argument(help: ArgumentHelp("The configuration file. (default: --config, or BATON_CONFIG)"))
  var file: String?

  @OptionGroup var options: ConfigOptions

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let asked = try question()
    let path = try options.requiredPath(argument: file)
    // Whether the file fits to options and an environment is not the question.
    let file = try ConfigOptions.telling(asJSON: json) { () throws(ConfigMistakes) in
      try ConfigurationFile.read(at: path)
    }
    guard let peers = file.peers else {
      throw try wrong("\(path) has no peers to ask about; open says there who may do everything")
    }
    guard let entry = peers.first(where: { $0.name == peer }) else {
      let nearest = nearestName(to: peer, among: peers.map(\.name))
      let hint = nearest.map { "did you mean \"\($0)\"?" } ?? "anonymous is who is not known, if there is such an entry"
      throw try wrong("there is no peer \"\(peer)\" in \(path); \(hint)")
    }
    switch entry.judge(asked, in: file.chains) {
    case .allowed(let rights):
      if json {
        let by = rights.map { "{\"right\":\(Payload(text: $0.value.spelling).json),\($0.origin.json)}" }
        return try put(json: "{\"allowed\":true,\"by\":[\(by.joined(separator: ","))]}")
      }
      let words = rights.map { "\"\($0.value.spelling)\" (\($0.origin))" }.joined(separator: " and ")
      try put("\(peer) may: \(words)".displaySafe)
    case .refused(let ways):
      if json {
        let needs = ways.map { "[\($0.map { Payload(text: $0.spelling).json }.joined(separator: ","))]" }
        try put(json: "{\"allowed\":false,\"needs\":[\(needs.joined(separator: ","))]}")
        throw ExitCode.failure
      }
      let words = ways.map { way in way.map { "\"\($0.spelling)\"" }.joined(separator: " and ") }
      try put("\(peer) may not; it needs \(words.joined(separator: ", or "))".displaySafe)
      throw ExitCode.failure
    }
  }

  /// Prints what is wrong with the question. Usage would not help.
  private func wrong(_ words: String) throws -> ExitCode {
    let error = "{\"errors\":[{\"message\":\(Payload(text: words).json)}]}"
    if json { try put(json: error) } else { talk("baton: \(words)") }
    return .validationFailure
  }

  private func question() throws -> Right {
    do throws(RightError) {
      return try Right(parsing: right)
    } catch {
      throw try wrong("\"\(right)\" is no right: \(error.message) (at character \(error.offset + 1))")
    }
  }
}
