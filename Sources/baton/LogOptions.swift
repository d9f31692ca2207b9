public import ArgumentParser
import BatonServer
public import Logging

/// What the log shows.
struct LogOptions: ParsableArguments {
  @Option(help: "The lowest level that the log shows.")
  var logLevel: Logger.Level = .info

  /// A logger that writes to standard error.
  func logger() -> Logger { Logger(label: "baton") { _ in LineLog(level: logLevel) } }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
