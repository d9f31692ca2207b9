internal import BatonCore

/// With which events a stream begins.
enum EventsFrom { case now, after, values }

/// A place in the kept events, as the `id:` of a server-sent event spells it: `EPOCH:SEQ` (Docs/http.md, section 6).
struct EventPosition: Equatable {
  var epoch: [UInt8]
  var seq: Int

  /// The place that a reader says it has come to. What is no place of this server is one of which nothing is known: then
  /// the reader is told that it may have missed something.
  init(_ lastEventID: String) {
    let bytes = Array(lastEventID.utf8)
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")), EventPosition.isEpoch(bytes[..<colon]),
      let seq = EventPosition.number(bytes[(colon + 1)...])
    else {
      epoch = Array("unknown".utf8)
      seq = 0
      return
    }
    epoch = Array(bytes[..<colon])
    self.seq = seq
  }

  /// The place that the answer to `subscribe` tells; nil if nothing is kept.
  init?(ok line: UnsafeRawBufferPointer) {
    let text = line.last == 10 ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
    // {"op":"ok","id":1,"seq":5,"epoch":"x7"}
    let start = Array("{\"op\":\"ok\",\"id\":1,\"seq\":".utf8)
    let middle = Array(",\"epoch\":\"".utf8)
    guard text.count < 200, text.starts(with: start) else { return nil }
    let rest = Array(text[start.count...])
    guard let end = rest.firstIndex(of: UInt8(ascii: ",")), let seq = EventPosition.number(rest[..<end]),
      rest[end...].starts(with: middle), rest.suffix(2).elementsEqual("\"}".utf8)
    else { return nil }
    let epoch = rest[(end + middle.count)...].dropLast(2)
    guard EventPosition.isEpoch(epoch) else { return nil }
    self.epoch = Array(epoch)
    self.seq = seq
  }

  /// The number of a kept event, from the last bytes of its line without LF: the server writes it as the last member, and
  /// nothing that a peer has written can end a line so.
  static func seq(atEndOf line: some BidirectionalCollection<UInt8>) -> Int? {
    guard line.last == UInt8(ascii: "}") else { return nil }
    let digits = line.dropLast().suffix(while: { 48...57 ~= $0 })
    guard !digits.isEmpty, line.dropLast(digits.count + 1).hasSuffix(",\"seq\":".utf8) else { return nil }
    return number(digits)
  }

  /// The members of `subscribe` that ask for what comes behind it.
  func append(to line: inout [UInt8]) {
    line.append(",\"after\":")
    line.append(seq)
    line.append(",\"epoch\":")
    line.appendQuoted(epoch)
  }

  /// The field of a server-sent event, with its LF.
  static func field(_ epoch: [UInt8], _ seq: Int) -> [UInt8] { Array("id: ".utf8) + epoch + Array(":\(seq)\n".utf8) }

  /// The most bytes of a field.
  static let longestField = 4 + longestEpoch + 1 + 19 + 1
  private static let longestEpoch = 64

  private static func isEpoch(_ text: some Collection<UInt8>) -> Bool {
    1...longestEpoch ~= text.count
      && text.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
      }
  }

  private static func number(_ digits: some Collection<UInt8>) -> Int? {
    guard 1...18 ~= digits.count, digits.allSatisfy({ 48...57 ~= $0 }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
  }
}

extension BidirectionalCollection where Element == UInt8 {
  /// The last elements that all fit.
  fileprivate func suffix(while fits: (UInt8) -> Bool) -> SubSequence {
    var start = endIndex
    while start > startIndex, fits(self[index(before: start)]) { start = index(before: start) }
    return self[start...]
  }

  fileprivate func hasSuffix(_ text: String.UTF8View) -> Bool { suffix(text.count).elementsEqual(text) }
}
