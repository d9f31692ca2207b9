import ArgumentParser
import BatonClient
import BatonConfig
import TLS

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `baton config check`: says all that is wrong with a file.
struct ConfigCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say all that is wrong with the server's file.",
    discussion: """
      Each mistake is a line: FILE:LINE:COLUMN, and what is wrong and how to mend it. Warnings are about what is \
      allowed and probably not meant. The exit code is 0 without mistakes, and 1 otherwise. With --json one object has \
      all.

      EXAMPLES:
        baton config check baton.yaml
        baton config check baton.yaml --json | jq -r '.errors[].message'
      """)

  @Argument(help: ArgumentHelp("The server's file. (default: --config, or BATON_CONFIG)"))
  var file: String?

  @OptionGroup var options: ConfigOptions

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let path = try options.requiredPath(argument: file)
    var (warnings, mistakes): ([ConfigMistake], ConfigMistakes?) = ([], nil)
    do throws(ConfigMistakes) {
      let configuration: Configuration
      (configuration, warnings) = try Configuration.check(path: path)
      if ConfigCheck.canRead(configuration.tls), let encryption = try configuration.encryptionOrMistake() {
        warnings += ConfigCheck.doubts(of: encryption, configuration.tls)
      }
    } catch {
      mistakes = error
    }
    if json {
      let errors = ConfigCheck.errors(mistakes?.all ?? [], untold: mistakes?.untold ?? 0)
      try put("{\(errors),\"warnings\":[\(ConfigCheck.list(warnings))]}")
    } else {
      for warning in warnings { try put("\(warning.origin): warning: \(warning.message)".displaySafe) }
      for line in mistakes?.lines ?? ["ok"] { try put(line.displaySafe) }
    }
    if mistakes != nil { throw ExitCode.failure }
  }

  /// Why peers will not connect, on the clock of this machine.
  private static func doubts(of encryption: TLSContext, _ tls: TLSFiles) -> [ConfigMistake] {
    let now = time(nil)
    var doubts = encryption.doubts(at: now)
    if let end = encryption.expires, end < now {
      doubts.append(
        "clients refuse the server's certificate: it has ended, \((now - end) / 86_400) days ago; put a new one in its "
          + "place")
    }
    return doubts.map { ConfigMistake(tls.certificate?.origin ?? .byDefault, $0) }
  }

  /// What this user cannot read here may be right where the server is. Of what is no file, nothing is used up.
  private static func canRead(_ tls: TLSFiles) -> Bool {
    let paths = [tls.certificate, tls.key, tls.clients].compactMap { $0?.value }
    return paths.allSatisfy { access($0, R_OK) == 0 } && (try? tls.checkFiles()) != nil
  }

  /// The members `errors` and, if there are more than are told, `untold`.
  static func errors(_ mistakes: [ConfigMistake], untold: Int) -> String {
    "\"errors\":[\(list(mistakes))]" + (untold > 0 ? ",\"untold\":\(untold)" : "")
  }

  private static func list(_ mistakes: [ConfigMistake]) -> String {
    mistakes.map { mistake in
      let file = mistake.file.map { "\"file\":\(Payload(text: $0).json)," } ?? ""
      let place = mistake.place.map { "\"line\":\($0.line),\"column\":\($0.column)," } ?? ""
      return "{\(file)\(place)\"message\":\(Payload(text: mistake.message).json)}"
    }.joined(separator: ",")
  }
}
