import HTTP

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Measures the readers alone. Each figure is the best of seven rounds.
@main
enum WireSpeed {
  static func main() {
    print("| what is read | ns of CPU |\n| --- | ---: |")
    let small = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:22868\r\n\r\n"
    row("request of \(small.utf8.count) bytes, 1 header", requests(small))
    let curl =
      "POST /send/door.open HTTP/1.1\r\nHost: 127.0.0.1:22868\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n"
      + "Content-Length: 5\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n\"Ann\""
    row("request of \(curl.utf8.count) bytes, 5 headers and a body", requests(curl))
    let browser =
      "GET /inspect?server=true HTTP/1.1\r\nHost: 127.0.0.1:22868\r\nConnection: keep-alive\r\n"
      + "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0\r\n"
      + "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8\r\n"
      + "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
      + "Referer: http://127.0.0.1:22868/\r\nAccept-Encoding: gzip, deflate, br\r\n"
      + "Accept-Language: en-US,en;q=0.9\r\n\r\n"
    row("request of \(browser.utf8.count) bytes, 10 headers", requests(browser))
    row("the same, byte by byte", requests(browser, piece: 1))
    row("the same, one of its headers", field(browser))
    for count in [16, 128, 1024, 16384] { row("message of \(count) bytes", messages(count, character: "a")) }
    row("message of 128 bytes, of them 126 of €", messages(128, character: "€"))
    row("message of 128 bytes, byte by byte", messages(128, character: "a", piece: 1))
    row("head of a frame, written", heads())
  }

  private static func row(_ name: String, _ nanoseconds: Double) {
    let tenths = Int((nanoseconds * 10).rounded())
    print("| \(name) | \(tenths >= 1000 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)") |")
  }

  /// The best of rounds, for one of `count` that a round does.
  private static func best(of count: Int, _ round: () -> Void) -> Double {
    let times = (0..<7).map { _ in
      let start = now()
      round()
      return now() - start
    }
    return (times.min() ?? 0) / Double(count)
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  private static func requests(_ text: String, piece: Int = 1 << 20) -> Double {
    let (bytes, count) = (Array(text.utf8), piece == 1 ? 2000 : 50000)
    var reader = RequestReader(maxHead: 16384)
    var ends = 0
    let time = best(of: count) {
      for _ in 0..<count {
        bytes.withUnsafeBytes { bytes in
          for start in stride(from: 0, to: bytes.count, by: piece) {
            let part = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + piece, bytes.count)])
            ends += read(part, &reader)
          }
        }
      }
    }
    precondition(ends == count * 7)
    return time
  }

  private static func read(_ bytes: UnsafeRawBufferPointer, _ reader: inout RequestReader) -> Int {
    var (position, ends) = (0, 0)
    while true {
      switch reader.next(in: bytes, at: &position) {
      case .needsMore: return ends
      case .end: ends += 1
      case .head, .body: break
      case .fault(let fault): fatalError(fault.message)
      }
    }
  }

  private static func field(_ text: String) -> Double {
    var reader = RequestReader(maxHead: 16384)
    var position = 0
    let event = Array(text.utf8).withUnsafeBytes { reader.next(in: $0, at: &position) }
    guard case .head(let head) = event else { fatalError("no head") }
    var found = 0
    let time = best(of: 50000) {
      for _ in 0..<50000 { found += head.fields("sec-fetch-site").count }
    }
    precondition(found == 7 * 50000)
    return time
  }

  private static func messages(_ count: Int, character: Character, piece: Int = 1 << 20) -> Double {
    let size = String(character).utf8.count
    let text = String(repeating: character, count: count / size) + String(repeating: "a", count: count % size)
    let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    var frame: [UInt8] =
      count < 126 ? [0x81, 0x80 | UInt8(count)] : [0x81, 0xFE, UInt8(count >> 8), UInt8(count & 255)]
    frame += mask
    frame += text.utf8.enumerated().map { index, byte in byte ^ mask[index % 4] }
    let many = max(1, 65536 / frame.count)
    let bytes = Array((0..<many).map { _ in frame }.joined())
    var room = [UInt8](repeating: 0, count: 65536)
    var reader = FrameReader()
    var ends = 0
    let rounds = piece == 1 ? 5 : 100
    let time = best(of: many * rounds) {
      for _ in 0..<rounds {
        bytes.withUnsafeBytes { bytes in
          room.withUnsafeMutableBytes { room in
            for start in stride(from: 0, to: bytes.count, by: piece) {
              let part = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + piece, bytes.count)])
              ends += read(part, &reader, room)
            }
          }
        }
      }
    }
    precondition(ends == many * rounds * 7)
    return time
  }

  private static func read(
    _ bytes: UnsafeRawBufferPointer, _ reader: inout FrameReader, _ room: UnsafeMutableRawBufferPointer
  ) -> Int {
    var (position, ends) = (0, 0)
    while true {
      switch reader.next(in: bytes, at: &position, into: room) {
      case .needsMore: return ends
      case .text(_, let endsMessage): if endsMessage { ends += 1 }
      default: fatalError("no text")
      }
    }
  }

  private static func heads() -> Double {
    var room = [UInt8](repeating: 0, count: 16)
    var sum = 0
    return best(of: 1_000_000) {
      room.withUnsafeMutableBytes { room in
        for index in 0..<1_000_000 { sum += FrameWriter.textHead(of: index & 0xFFF, into: room) }
      }
      precondition(sum > 0)
    }
  }
}
