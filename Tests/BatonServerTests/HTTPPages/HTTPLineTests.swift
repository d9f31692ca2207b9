import HTTP
import Testing
import WorldKit

@testable import BatonCore
@testable import BatonServer

/// Whatever a peer sends, the router gets exactly one line, with the members that were meant; or the peer is refused.
@Suite struct HTTPLineTests {
  /// What one random request means.
  private struct Meant {
    var op = Op.send
    var target = ""
    var fields: [String] = []
    var body: [UInt8] = []
    /// The members of the line.
    var members = Member.op.mask | Member.id.mask
    /// The texts that members have, decoded.
    var texts: [(Member, [UInt8])] = []
    /// The payload, if it is to be passed on as it is.
    var payload: [UInt8]?
    /// The payload, if it is to become a string.
    var text: [UInt8]?
  }

  /// Texts that would like to be more than a text.
  private static let hostile = [
    "a", "door.open", "\"", "\\", "\\\"", "\n", "\r\n{\"op\":\"ping\"}\n", "\",\"op\":\"close\",\"x\":\"", "}", "\u{0}",
    "\u{1F}", "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}", "ü", "😀", "a b", "a+b", "%41", "\\u0000", "\\ud800", "#", "&",
    "=",
    ",", "?", "..", "$baton.x", "*", ">", String(repeating: "\"", count: 250), String(repeating: "\n", count: 85),
  ]
  private static let json = [
    "1", "-0", "1e999", "\"a\"", "\"\\ud83d\\ude00\"", "{\"a\":[1,{\"b\":null}]}", "[]", "[[[[1]]]]",
    "{\"op\":\"ping\",\"op\":1}",
    "{\"payload\":1}", "\"\\n\"", "true", "  [1, 2]\t", "{\"traceparent\":1}", "{\"tr\\u0061cestate\":1}",
    "\"\u{2028}\"",
    "123456789012345678901234567890",
  ]
  private static let notJSON = [
    "1}", "1,\"topic\":\"b\"", "{", "\"", "\"\n\"", "1\n2", "{}\n{}", "'", "nul", "\u{0}", "[1,]", "\"\\ud800\"", "\\",
    "}{", ",",
    "\"a\",\"a\"", "1\u{2028}", "//\n1",
  ]

  private static func encode(_ text: String, _ luck: inout Generator) -> String {
    luck.chance(50)
      ? PercentText.encode(text) : text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func request(_ luck: inout Generator) -> Meant {
    var meant = Meant()
    meant.op = luck.chance(50) ? .send : .broadcast
    let topic = luck.pick(hostile)
    meant.target = "POST /\(meant.op.spelling)/" + encode(topic, &luck)
    meant.members |= Member.topic.mask
    meant.texts.append((.topic, Array(topic.utf8)))
    var members: [(Member, String)] = [
      (.timeoutMilliseconds, "77"), (.trace, "true"), (.reply, luck.chance(50) ? "true" : "false"),
      (.key, luck.pick(["k", "\"", "\\", "ü😀", "a b", "},{", "\u{2028}", "\\u000a"])),
    ]
    members += meant.op == .send ? [(.chain, "main.x"), (.mode, "all")] : [(.via, "c-_."), (.echo, "false")]
    var pairs: [String] = []
    for (member, value) in members where luck.chance(40) {
      pairs.append(encode("\(member.spelling)", &luck) + "=" + encode(value, &luck))
      meant.members |= member.mask
      if [.key, .chain, .via].contains(member) { meant.texts.append((member, Array(value.utf8))) }
    }
    luck.shuffle(&pairs)
    if !pairs.isEmpty { meant.target += "?" + pairs.joined(separator: "&") }
    addMeta(to: &meant, &luck)
    addBody(to: &meant, &luck)
    return meant
  }

  private static func addMeta(to meant: inout Meant, _ luck: inout Generator) {
    if luck.chance(40) { meant.fields.append("Baton-Meta: " + luck.pick(json).replacing("\n", with: " ")) }
    if luck.chance(30) { meant.fields.append("traceparent: " + luck.pick(["00-ab-cd-01", "\"", "}\\", "ü", "\","])) }
    if luck.chance(30) { meant.fields.append("tracestate: " + luck.pick(["a=1", "\"},{\"", "b"])) }
    if !meant.fields.isEmpty { meant.members |= Member.meta.mask }
  }

  private static func addBody(to meant: inout Meant, _ luck: inout Generator) {
    let kind = luck.pick(["application/json", "text/plain", "application/x-www-form-urlencoded", ""])
    if !kind.isEmpty { meant.fields.append("Content-Type: \(kind)") }
    let isJSON = kind == "application/json" || (kind != "text/plain" && luck.chance(50))
    let text = isJSON ? luck.pick(json) : luck.pick(kind == "text/plain" ? json + notJSON + hostile : notJSON)
    if luck.chance(10) || text.isEmpty { return }
    if text.hasPrefix("\u{FEFF}") { return }
    meant.body = Array(text.utf8)
    meant.members |= Member.payload.mask
    if isJSON {
      meant.payload = Array(text.utf8.drop { $0 == 32 }.prefix { $0 != 9 })
    } else {
      meant.text = meant.body
    }
  }

  @Test func everyLineHasWhatWasMeant() throws {
    var luck = Generator(seed: 0x4854_5450)
    for round in 0..<4000 {
      let meant = Self.request(&luck)
      let head = try Asked.head(meant.target, meant.fields + ["Content-Length: \(meant.body.count)"])
      guard case .request(let request) = Asked.plan(head) else {
        Issue.record("round \(round) is refused: \(meant.target) \(meant.fields)")
        continue
      }
      let bytes = try request.line(body: meant.body).get()
      check(bytes, meant, "round \(round): \(meant.target) \(meant.fields) \(String(decoding: bytes, as: UTF8.self))")
    }
  }

  private func check(_ bytes: [UInt8], _ meant: Meant, _ comment: Comment) {
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    #expect(lines.popLast() == [], comment)
    if lines.count == 2 { #expect(lines.popLast() == Array(#"{"op":"ping","id":2}"#.utf8)[...], comment) }
    #expect(lines.count == 1, comment)
    bytes.withUnsafeBytes { memory in
      let line = UnsafeRawBufferPointer(rebasing: memory[..<(bytes.firstIndex(of: 10) ?? 0)])
      var request = Request(maxDepth: 128)
      do throws(BatonCore.Fault) {
        try request.readAny(line)
      } catch {
        // Only topics are left to the router.
        #expect(error.code == .badTopic, "\(error.message) \(comment)")
      }
      #expect(request.op == meant.op, comment)
      #expect(request.scanner.present == meant.members, comment)
      #expect(request.scanner.repeated == 0 && !request.scanner.hasUnknown, comment)
      for (member, text) in meant.texts { #expect(request.copyText(member) == text, comment) }
      if let text = meant.text { #expect(request.copyText(.payload) == text, comment) }
      if let payload = meant.payload { #expect(Array(request.raw(.payload)) == payload, comment) }
    }
  }

  /// Changes a right request at random places. What comes out is refused, or one line that the router can read.
  @Test func randomBytesNeverTrap() throws {
    var luck = Generator(seed: 7)
    var (refused, taken) = (0, 0)
    for _ in 0..<6000 {
      var meant = Self.request(&luck)
      var head = Array((meant.target + " HTTP/1.1\r\nHost: localhost\r\n").utf8)
      head += meant.fields.flatMap { Array(($0 + "\r\n").utf8) } + [13, 10]
      for _ in 0..<luck.below(4) { Self.spoil(&head, &luck) }
      for _ in 0..<luck.below(4) { Self.spoil(&meant.body, &luck) }
      guard let head = try? Asked.head(bytes: head) else { continue }
      switch Asked.plan(head, HTTPRules(maxLine: 8192)) {
      case .request(let request):
        switch request.line(body: meant.body) {
        case .success(let line):
          taken += 1
          #expect(line.count <= 8192 + 32)
          line.withUnsafeBytes { bytes in
            var scanner = LineScanner(maximumDepth: 128)
            let first = UnsafeRawBufferPointer(rebasing: bytes[..<(line.firstIndex(of: 10) ?? 0)])
            #expect(scanner.scan(first) == nil && scanner.repeated == 0 && !scanner.hasUnknown)
            #expect(scanner.present & ~Op.send.allowed & ~Op.broadcast.allowed == 0)
          }
          #expect(line.count { $0 == 10 } == (request.reply ? 1 : 2))
        case .failure(let answer):
          refused += 1
          Asked.check(answer)
        }
      case .answer(let answer):
        refused += 1
        if answer.status >= 400 { Asked.check(answer) }
      default: break
      }
    }
    // Otherwise the test looks at nothing.
    #expect(refused > 300 && taken > 300, "\(refused) \(taken)")
  }

  private static func spoil(_ bytes: inout [UInt8], _ luck: inout Generator) {
    let signs = Array("\"\\{}[],:\n\r\t %&=?/+#0aé\u{0}".utf8) + [0xFF, 0xC0, 0xED, 0x80, 0x1F, 0x7F]
    let at = luck.below(bytes.count + 1)
    switch luck.below(4) {
    case 0 where at < bytes.count: bytes[at] = luck.pick(signs)
    case 1 where at < bytes.count: bytes.remove(at: at)
    case 2: bytes.insert(UInt8(luck.below(256)), at: at)
    default: bytes.insert(luck.pick(signs), at: at)
    }
  }

  /// Twice the input takes about twice the time, for what could be slow. Counted in bytes read, not by the clock: a body
  /// of this size would take minutes if it took the square of its length.
  @Test func longBodiesTakeTheirLengthAndNoMore() throws {
    let rules = HTTPRules(maxLine: 1 << 23)
    let bodies = [
      String(repeating: "\n", count: 4_000_000) + "1", "[" + String(repeating: "1,\n", count: 1_000_000) + "1]",
      "\"" + String(repeating: "\\\"", count: 1_000_000) + "\"",
      "{" + String(repeating: "\"a\":1,", count: 400_000) + "\"a\":1}",
    ]
    for body in bodies {
      let line = try Asked.line("POST /send/a", ["Content-Type: application/json"], body: body, rules)
      #expect(line.utf8.count > 20)
      let text = try Asked.line(
        "POST /send/a", ["Content-Type: text/plain"], body: body.replacing("\n", with: " "), rules)
      #expect(text.utf8.count > body.utf8.count)
    }
    let path = "/send/" + String(repeating: "%41", count: 5000)
    #expect(try Asked.refusal("POST \(path)") == "400 bad_topic")
    let members = (0..<3000).map { "a\($0)=1" }.joined(separator: "&").prefix(15_000)
    #expect(try Asked.refusal("POST /send/a?\(members)") == "400 unknown_member")
  }
}
