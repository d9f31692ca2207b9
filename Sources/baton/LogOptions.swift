public import ArgumentParser
import BatonServer
public import Logging

/// What the log is to tell.
struct LogOptions: ParsableArguments {
  @Option(help: "What the log tells: the named level and all above it.")
  var logLevel: Logger.Level = .info

  /// A logger that writes to standard error.
  func logger() -> Logger { Logger(label: "baton") { _ in LineLog(level: logLevel) } }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
