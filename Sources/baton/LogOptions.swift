public import ArgumentParser
import BatonServer
public import Logging

/// What the log shows.
struct LogOptions: ParsableArguments {
  @Option(help: "The lowest level that the log shows.")
  var logLevel: Logger.Level = .info

  /// A logger whose lines the writer writes.
  func logger(to writer: LogWriter) -> Logger {
    Logger(label: "baton") { _ in LineLog(level: logLevel, writer: writer) }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
