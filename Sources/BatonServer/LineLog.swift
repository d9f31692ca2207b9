internal import BatonCore
public import Logging

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Makes each event of the log one line, in the writer's format. In text, a value that is not a plain word is quoted and
/// escaped, so that nothing that a peer sends can pass for a line of the log.
public struct LineLog: LogHandler {
  /// Events below this level are left out.
  public var logLevel: Logger.Level
  /// Written with every event.
  public var metadata: Logger.Metadata = [:]
  private let writer: LogWriter

  /// A log that leaves out what is below `level`, and has the writer write the rest.
  public init(level: Logger.Level, writer: LogWriter) {
    logLevel = level
    self.writer = writer
  }

  /// Reads or writes one value that is written with every event.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Has the event written.
  public func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    writer.add(writer.format.line(event.level, "\(event.message)", all))
  }

  /// UTC with milliseconds, RFC 3339.
  static func time() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var parts = tm()
    gmtime_r(&now.tv_sec, &parts)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      guard let text = buffer.baseAddress, strftime(text, buffer.count, "%Y-%m-%dT%H:%M:%S", &parts) > 0 else {
        return "?"
      }
      let milliseconds = String(now.tv_nsec / 1_000_000 + 1000).dropFirst()
      return "\(String(cString: text)).\(milliseconds)Z"
    }
  }

  /// The text itself if it is a plain word. Otherwise the text in quotes, with everything unprintable escaped.
  static func quoted(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { ("!"..."~").contains($0) && $0 != "\"" && $0 != "\\" }
    if isPlain && !text.isEmpty { return text }
    return quoted(text, escape: \.spelledOut)
  }

  /// The text in quotes. `escape` spells what is unprintable and has no short escape.
  static func quoted(_ text: String, escape: (Unicode.Scalar) -> String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      default: if scalar.isSeen { quoted.unicodeScalars.append(scalar) } else { quoted += escape(scalar) }
      }
    }
    return quoted + "\""
  }
}
