internal import BatonLasting

#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

/// What a node answers when somebody asks which nodes there are.
public struct NodeWord: Codable, Equatable, Sendable {
  /// Its name.
  public var node: String
  /// The start of its process.
  public var start: String
  /// Where clients reach it.
  public var address: String
  /// Its version.
  public var version: String
  /// Whether it leads.
  public var leads: Bool
  /// Why it could not lead now; nil if it could.
  public var whyNot: String?
  /// Its clock: milliseconds since 1970.
  public var wallMs: Int64
  /// How far its file has come in the log, as the bytes of a position; nil: it has no store, or was in no log.
  public var log: [UInt8]?
  /// The bytes that are free on its disk; nil: it has no store, or that is not known.
  public var freeBytes: Int?

  enum CodingKeys: String, CodingKey {
    case node, start, address, version, leads, log
    case whyNot = "why_not"
    case wallMs = "wall_ms"
    case freeBytes = "free_bytes"
  }

  /// Reads an answer; nil if it is none. No text of it is longer than a message for people may be, and its time is one.
  init?(_ json: [UInt8]) {
    guard let word = JSONText.read(NodeWord.self, json), (0...1 << 53).contains(word.wallMs),
      [word.node, word.start, word.address, word.version, word.whyNot ?? ""].allSatisfy({ $0.utf8.count <= 300 })
    else { return nil }
    self = word
  }

  init(
    node: String, start: String, address: String, version: String, leads: Bool, whyNot: String?, wallMs: Int64,
    log: LogPosition?, freeBytes: Int?
  ) {
    (self.node, self.start, self.address, self.version) = (node, start, address, version)
    (self.leads, self.whyNot, self.wallMs) = (leads, whyNot, wallMs)
    self.log = log?.bytes
    self.freeBytes = freeBytes
  }

  /// The number of the message up to which its file has the log; nil if it does not say that.
  public var sequence: UInt64? { position?.sequence }

  /// How far its file has come; nil if it does not say that.
  var position: LogPosition? { log.flatMap { LogPosition($0) } }
}

/// JSON as NATS and other nodes write it.
enum JSONText {
  static func read<Value: Decodable>(_ type: Value.Type, _ json: [UInt8]) -> Value? {
    try? JSONDecoder().decode(type, from: Data(json))
  }

  static func write(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { Array($0) } ?? []
  }
}
