import Testing

@testable import BatonCore

/// What the server writes, byte for byte.
@Suite struct LineWriterTests {
  private func written(_ room: Int, _ body: (inout LineWriter) -> Void) -> String {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0xEE)
    guard let base = memory.baseAddress else { return "" }
    var writer = LineWriter(at: base, room: room)
    body(&writer)
    let count = writer.cursor - base
    #expect(count <= room && memory[count...].allSatisfy { $0 == 0xEE })
    return String(decoding: memory[..<count], as: UTF8.self)
  }

  @Test func wholeNumbers() {
    var numbers = [0, 1, -1, 9, 10, -10, 99, 100, .max, .min, .max - 1, .min + 1]
    for shift in 0..<63 { numbers += [1 << shift, -(1 << shift), (1 << shift) - 1] }
    var power = 1
    for _ in 0..<18 {
      power *= 10
      numbers += [power, power - 1, -power]
    }
    for number in numbers { #expect(written(20) { $0.integer(number) } == "\(number)") }
  }

  @Test func ranks() {
    let ranks: [(Double, String)] = [
      (1, "1"), (0, "0"), (-0.0, "0"), (-3, "-3"), (1.5, "1.5"), (1e9, "1000000000"), (-1e9, "-1000000000"),
      (0.1, "0.1"), (1.0000000000000002, "1.0000000000000002"),
    ]
    for (rank, text) in ranks { #expect(written(32) { $0.number(rank) } == text) }
    // A handler that comes back with the rank that it was told gets its old place. So the number must be exactly the
    // same.
    for rank in [1e-7, Double.leastNonzeroMagnitude, 1.0 / 3, -123_456_789.123_456_78, 0.1.nextUp, (1e9).nextDown] {
      let text = written(32) { $0.number(rank) }
      let line = #"{"op":"insert","rank":\#(text)}"#
      let read = line.withLine { bytes in
        var scanner = LineScanner(maximumDepth: 1)
        return scanner.scan(bytes) == nil ? scanner[.rank].double(in: bytes) : nil
      }
      #expect(read == rank, "\(text)")
    }
  }

  @Test func textsAreEscapedInOneSpelling() {
    let texts = [
      ("", #""""#), ("door", #""door""#), ("\"\\/", #""\"\\/""#), ("\n\r\t\u{8}\u{c}", #""\n\r\t\b\f""#),
      ("\u{0}\u{1}\u{f}\u{10}\u{1f}", #""\u0000\u0001\u000f\u0010\u001f""#), ("\u{7f}é京😀", "\"\u{7f}é京😀\""),
    ]
    for (text, spelling) in texts {
      #expect(written(LineWriter.bound(text: text.utf8.count)) { $0.text(text) } == spelling)
    }
  }

  @Test func nothingIsWrittenOfNothing() {
    #expect(written(1) { $0.raw(.empty) } == "")
    #expect(written(1) { $0.literal("") } == "")
  }

  /// The sizes that callers reserve are counted by hand. Each write checks them, in builds for debugging.
  @Test func nothingIsWrittenBehindTheReservation() async {
    await #expect(processExitsWith: .failure) {
      var memory = [UInt8](repeating: 0, count: 64)
      memory.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        var writer = LineWriter(at: base, room: 7)
        writer.literal("12345678")
      }
    }
  }
}
