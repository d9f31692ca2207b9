public import ArgumentParser
public import BatonServer
public import Logging

/// What the log shows, and how.
struct LogOptions: ParsableArguments {
  @Option(help: "The lowest level that the log shows.")
  var logLevel: Logger.Level = .info

  @Option(help: "How the log is written: text for people, or json, one object a line, for programs.")
  var logFormat: LogFormat = .text

  /// Writes the log to standard error.
  func writer() -> LogWriter { LogWriter.toStandardError(format: logFormat) }

  /// A logger whose lines the writer writes.
  func logger(to writer: LogWriter) -> Logger {
    Logger(label: "baton") { _ in LineLog(level: logLevel, writer: writer) }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}
