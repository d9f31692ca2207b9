import HTTPKit
import UV

/// Echoes what module HTTP reads, for tests with clients and judges that are not ours.
///
/// - `baton-http-echo events requests` and `… frames`: a line of standard input is pieces of bytes in hexadecimal, with
///   spaces between them; a line of standard output is their events, with tabs between them.
/// - `baton-http-echo listen [PIECE]`: listens on a free port of loopback, which it prints. A request gets its body
///   back, a message of a WebSocket too. The readers get at most PIECE bytes at a time. It runs until it is killed.
@main
struct EchoProgram {
  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    switch Array(words) {
    case ["events", "requests"]: answerLines { requestEvents(of: $0) }
    case ["events", "frames"]: answerLines { frameEvents(of: $0) }
    case let words where words.first == "listen" && words.count <= 2: try listen(piece: words.dropFirst().first)
    default: print("usage: baton-http-echo events requests | events frames | listen [PIECE]")
    }
  }

  private static func answerLines(_ events: ([[UInt8]]) -> [String]) {
    while let line = readLine() {
      print(events(line.split(separator: " ").map { bytes(ofHex: $0) }).joined(separator: "\t"))
    }
  }

  private static func bytes(ofHex text: Substring) -> [UInt8] {
    let digits = Array(text.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).map { start in
      UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16) ?? 0
    }
  }

  private static func listen(piece: String?) throws {
    let loop = try Loop()
    let listener = try Listener.bound(to: Address(numericHost: "127.0.0.1", port: 0), on: loop)
    let owner = EchoListener(piece: piece.flatMap { Int($0) } ?? Int.max)
    try listener.listen(owner: owner)
    print(listener.address?.port ?? 0)
    flushOutput()
    loop.run()
  }
}
