import BatonClient
import BatonRecord

/// Heads that were kept elsewhere, a line each.
enum KnownHeads {
  private struct Line: Decodable {
    struct Head: Decodable {
      let n: Int
      let previous: String
    }

    let payload: Head?
    let n: Int?
    let previous: String?
  }

  /// Reads a file of them. Throws if a line is none, or there is none.
  static func read(_ path: String) throws -> [KnownHead] {
    let bytes = try RecordFolder.read(path, atMost: 1 << 28)
    let heads: [KnownHead] = try bytes.split(separator: UInt8(ascii: "\n")).enumerated().compactMap { number, text in
      if text.allSatisfy({ $0 <= 0x20 }) { return nil }
      let json = String(decoding: text, as: UTF8.self)
      guard let line = try? Payload(json: json).decode(Line.self) else {
        throw RecordError(
          "\(path):\(number + 1): this is no head; write lines of baton subscribe --json, or their payloads")
      }
      if let head = line.payload { return KnownHead(n: head.n, previous: head.previous) }
      guard let n = line.n, let previous = line.previous else {
        throw RecordError("\(path):\(number + 1): this is no head: it has no n and no previous")
      }
      return KnownHead(n: n, previous: previous)
    }
    if heads.isEmpty { throw RecordError("\(path) has no heads: nothing would be held against them") }
    return heads
  }
}
