import Testing

@testable import BatonCore

/// The short way for plain verdicts gives the same as the long way, for every line.
@Suite struct PlainVerdictTests {
  /// What becomes of a line, in words: by the short way if the line has one, or only by the long way.
  private func outcome(_ line: [UInt8], isShortWayOpen: Bool) -> String {
    var request = Request(maxDepth: 128)
    return (line + [0x0A]).withUnsafeBytes { memory in
      let bytes = UnsafeRawBufferPointer(rebasing: memory.dropLast())
      do throws(Fault) {
        if isShortWayOpen { try request.read(bytes) } else { try request.readAny(bytes) }
        let members = Member.allCases.filter { request.has($0) }.map { "\($0) \(request.value($0))" }
        return
          "\(request.op) \(members) \(request.id(isOffer: true).string) \(request.offer ?? -1) \(request.wantsReply)"
      } catch {
        return "\(error.code) \(error.message) \(request.id(isOffer: request.isVerdict).string)"
      }
    }
  }

  private func isPlain(_ line: String) -> Bool { line.withLine { PlainVerdict($0) != nil } }

  @Test func whatIsPlain() {
    for op in ["handled", "continue"] {
      for id in ["1", "9", "17", "4294967296", "999999999999999999"] {
        #expect(isPlain(#"{"op":"\#(op)","id":\#(id)}"#))
      }
      for id in ["", "0", "01", "-1", "1.5", "1e3", "1 ", "\"1\"", "9999999999999999999", "1,\"payload\":2"] {
        #expect(!isPlain(#"{"op":"\#(op)","id":\#(id)}"#), "\(id)")
      }
      for line in [#"{"op":"\#(op)"}"#, #"{"id":1,"op":"\#(op)"}"#, #"{"op": "\#(op)","id":1}"#] {
        #expect(!isPlain(line))
      }
    }
    #expect(!isPlain(#"{"op":"reject","id":1}"#))
  }

  /// Every line that is one byte away from a plain verdict, and every beginning of one.
  @Test func bothWaysAgree() {
    for line in [#"{"op":"handled","id":12}"#, #"{"op":"continue","id":905}"#, #"{"op":"continue","id":1}"#] {
      let bytes = Array(line.utf8)
      var lines = (0...bytes.count).map { Array(bytes[..<$0]) }
      for at in bytes.indices {
        lines.append(Array(bytes[..<at] + bytes[(at + 1)...]))
        for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "\n") {
          lines.append(Array(bytes[..<at] + [byte] + bytes[(at + 1)...]))
          lines.append(Array(bytes[..<at] + [byte] + bytes[at...]))
        }
      }
      for other in lines {
        if outcome(other, isShortWayOpen: true) != outcome(other, isShortWayOpen: false) {
          Issue.record("\(String(decoding: other, as: UTF8.self))")
        }
      }
    }
  }
}
