import ArgumentParser
import BatonClient
import BatonConfig
import BatonCore
import BatonStore
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
    abstract: "Say all that is wrong with the configuration file.",
    discussion: """
      Each mistake is a line: FILE:LINE:COLUMN, and what is wrong and how to mend it. Warnings are about what is \
      allowed and probably not meant. The exit code is 0 without mistakes, and 1 otherwise. With --json one object has \
      all.

      EXAMPLES:
        baton config check baton.yaml
        baton config check baton.yaml --json | jq -r '.errors[].message'
      """)

  @Argument(help: ArgumentHelp("The configuration file. (default: --config, or BATON_CONFIG)"))
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
      if let store = configuration.store, let doubt = StorePath.doubt(about: store.value) {
        warnings.append(ConfigMistake(store.origin, "a server does not start here: \(doubt)"))
      }
      let (wrong, canRead) = ConfigCheck.look(at: configuration.tls)
      warnings += wrong
      if canRead, let encryption = try configuration.encryptionOrMistake() {
        warnings += ConfigCheck.doubts(of: encryption, configuration.tls)
      }
    } catch {
      mistakes = error
    }
    try ConfigCheck.tell(warnings, mistakes, json: json)
  }

  /// Prints what is wrong with a file, and ends the program if something is.
  static func tell(_ warnings: [ConfigMistake], _ mistakes: ConfigMistakes?, json: Bool) throws {
    if json {
      let errors = errors(mistakes?.all ?? [], untold: mistakes?.untold ?? 0)
      try put(json: "{\(errors),\"warnings\":[\(list(warnings))]}")
    } else {
      for warning in warnings { try put("\(warning.origin): warning: \(warning.message)".displaySafe) }
      for line in mistakes?.lines ?? ["ok"] { try put(line.displaySafe) }
    }
    if mistakes != nil { throw ExitCode.failure }
  }

  /// Why peers will not connect, on the clock of this machine.
  private static func doubts(of encryption: TLSContext, _ tls: TLSFiles) -> [ConfigMistake] {
    let now = time(nil)
    var (doubts, ofAuthorities) = encryption.doubts(at: now)
    if let end = encryption.expires, end < now {
      doubts.append(
        "clients refuse the server's certificate: it has ended, \((now - end) / 86_400) days ago; put a new one in its "
          + "place")
    } else if let end = encryption.expires, end < now + Router.fewDays * 86_400 {
      let days = (end - now) / 86_400
      doubts.append("the server's certificate ends in \(days) days; put a new one in its place before that")
    }
    return doubts.map { ConfigMistake(tls.certificate?.origin ?? .byDefault, $0) }
      + ofAuthorities.map { ConfigMistake(tls.clients?.origin ?? .byDefault, $0) }
  }

  /// Why a server cannot use the files here, and whether they can be read. Of what is no file, nothing is used up. What is
  /// not there has been told, and what this user cannot read here may be right where the server is.
  private static func look(at tls: TLSFiles) -> (wrong: [ConfigMistake], canRead: Bool) {
    do throws(ConfigMistakes) {
      try tls.checkFiles()
    } catch {
      return (error.all.map { ConfigMistake($0.origin, "\($0.message); a server does not start here") }, false)
    }
    let unreadable = [tls.certificate, tls.key, tls.clients].compactMap(\.self).filter { access($0.value, R_OK) != 0 }
    let forbidden = unreadable.filter { access($0.value, F_OK) == 0 }.map {
      ConfigMistake($0.origin, "this user cannot read \($0.value); a server of this user does not start here")
    }
    return (forbidden, unreadable.isEmpty)
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
