/// What the lines of a head have said so far. It keeps places, not bytes: they are offsets in the head.
struct HeadLines {
  /// The fields so far.
  private(set) var places: [FieldPlace] = []
  private(set) var hasRequestLine = false
  private var method = RequestHead.Method.get
  private var target = 0..<0
  private var version = RequestHead.Version.http11
  private var host: Range<Int>?
  private var length: Int?
  private var isChunked = false
  private var closes = false
  private var connectionUpgrades = false
  private var namesWebSocket = false
  private var expects = false
  private var expectsElse = false

  /// Takes in a line, which stands in `text` without its CR LF. It has no control characters but tabs.
  mutating func take(_ line: Range<Int>, in text: RawSpan) throws(RequestFault) {
    if !hasRequestLine {
      try takeRequestLine(line, in: text)
      hasRequestLine = true
      return
    }
    let name = try HeadLines.name(line, in: text)
    if places.isEmpty { places.reserveCapacity(12) }
    places.append(FieldPlace(start: UInt32(line.lowerBound), nameCount: UInt32(name.count)))
    let value = text.trimmed(name.upperBound + 1..<line.upperBound)
    switch name.count {
    case 4 where text.equals(name, "host"): try takeHost(value, in: text)
    case 6 where text.equals(name, "expect"): takeExpect(value, in: text)
    case 7 where text.equals(name, "upgrade"): takeUpgrade(value, in: text)
    case 10 where text.equals(name, "connection"): try takeConnection(value, in: text)
    case 14 where text.equals(name, "content-length"): try takeLength(value, in: text)
    case 17 where text.equals(name, "transfer-encoding"): try takeEncoding(value, in: text)
    default: break
    }
  }

  /// The head that all its lines make. `bytes` are its own, to the empty line.
  consuming func head(_ bytes: [UInt8]) throws(RequestFault) -> RequestHead {
    let framing = try framing()
    if host == nil, version == .http11 { throw RequestFault("the request has no Host; HTTP/1.1 needs one") }
    let hasBody = framing != .none && framing != .length(0)
    let text = bytes.span.bytes
    var mark = target.lowerBound
    while mark < target.upperBound, text[mark] != UInt8(ascii: "?") { mark += 1 }
    return RequestHead(
      method: method, path: text.copy(target.lowerBound..<mark),
      query: mark < target.upperBound ? text.copy(mark + 1..<target.upperBound) : nil, version: version,
      host: host.map { text.string($0) }, framing: framing, keepsAlive: version == .http11 && !closes,
      expectsContinue: expects && !expectsElse && hasBody && version == .http11, expectsElse: expectsElse,
      connectionUpgrades: connectionUpgrades,
      namesWebSocket: namesWebSocket, bytes: bytes, places: places)
  }

  private func framing() throws(RequestFault) -> RequestHead.Framing {
    guard isChunked else { return length.map { .length($0) } ?? .none }
    if version == .http10 { throw RequestFault("Transfer-Encoding is not known in HTTP/1.0; send Content-Length") }
    if length != nil { throw RequestFault("the request has Content-Length and Transfer-Encoding; send one of them") }
    return .chunked
  }
}

/// The request line.
extension HeadLines {
  private mutating func takeRequestLine(_ line: Range<Int>, in text: RawSpan) throws(RequestFault) {
    var end = line.lowerBound
    while end < line.upperBound, isTokenByte(text[end]) { end += 1 }
    guard end > line.lowerBound, end < line.upperBound, text[end] == UInt8(ascii: " ") else {
      throw RequestFault("the request does not begin with METHOD /PATH HTTP/1.1; this place speaks HTTP")
    }
    let name = line.lowerBound..<end
    let start = end + 1
    var at = start
    while at < line.upperBound, text[at] > 0x20, text[at] < 0x7F { at += 1 }
    guard at > start, at < line.upperBound, text[at] == UInt8(ascii: " ") else {
      throw RequestFault("the request line is not METHOD /PATH HTTP/1.1 with single spaces and ASCII in between")
    }
    try takeVersion(at + 1..<line.upperBound, in: text)
    guard text[start] == UInt8(ascii: "/") else {
      throw RequestFault("the target of the request does not begin with /; send the path alone")
    }
    for offset in start..<at where text[offset] == UInt8(ascii: "#") {
      throw RequestFault("the target of the request has a #; write it as %23, or leave out what follows it")
    }
    target = start..<at
    method = HeadLines.method(name, in: text)
  }

  private mutating func takeVersion(_ range: Range<Int>, in text: RawSpan) throws(RequestFault) {
    let start = range.lowerBound
    // "HTTP/1.1" and "HTTP/1.0".
    let word = range.count == 8 ? text.word(at: start) : 0
    if word == 0x312E_312F_5054_5448 {
      version = .http11
    } else if word == 0x302E_312F_5054_5448 {
      version = .http10
    } else if word & 0x00FF_00FF_FFFF_FFFF == 0x002E_002F_5054_5448, 0x30...0x39 ~= text[start + 5],
      0x30...0x39 ~= text[start + 7]
    {
      throw RequestFault(status: 505, "only HTTP/1.1 and HTTP/1.0 are known here, not \(text.string(range))")
    } else {
      throw RequestFault("the request line does not end with HTTP/1.1")
    }
  }

  private static func method(_ name: Range<Int>, in text: RawSpan) -> RequestHead.Method {
    if text.isExactly(name, "GET") { return .get }
    if text.isExactly(name, "POST") { return .post }
    if text.isExactly(name, "HEAD") { return .head }
    if text.isExactly(name, "OPTIONS") { return .options }
    return .other(text.string(name))
  }
}

/// Fields.
extension HeadLines {
  /// The name of a field's line.
  static func name(_ line: Range<Int>, in text: RawSpan) throws(RequestFault) -> Range<Int> {
    if isBlank(text[line.lowerBound]) {
      throw RequestFault("a header begins with a space or a tab; write each header on one line")
    }
    var end = line.lowerBound
    while end < line.upperBound, isTokenByte(text[end]) { end += 1 }
    guard end > line.lowerBound, end < line.upperBound, text[end] == UInt8(ascii: ":") else {
      // Not the value: it may be a token.
      while end < line.upperBound, text[end] != UInt8(ascii: ":"), !isBlank(text[end]) { end += 1 }
      let name = HeadLines.shown(line.lowerBound..<end, in: text)
      throw RequestFault("a header is not NAME: VALUE, with no space before the colon: \(name)")
    }
    return line.lowerBound..<end
  }

  /// What a peer wrote, as a message repeats it: the first 40 bytes.
  private static func shown(_ range: Range<Int>, in text: RawSpan) -> String {
    let end = min(range.upperBound, range.lowerBound + 40)
    return "\"\(text.string(range.lowerBound..<end))\(end < range.upperBound ? "…" : "")\""
  }

  private mutating func takeHost(_ value: Range<Int>, in text: RawSpan) throws(RequestFault) {
    if host != nil { throw RequestFault("the request has Host twice; send it once") }
    for offset in value where !HeadLines.isHostByte(text[offset]) {
      throw RequestFault("the Host \(HeadLines.shown(value, in: text)) is not HOST or HOST:PORT")
    }
    host = value
  }

  /// Unreserved characters and delimiters of names, and what addresses and ports need (RFC 3986, section 3.2).
  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "#"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"): false
    case UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "("), UInt8(ascii: ")"),
      UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
      true
    default: isTokenByte(byte)
    }
  }

  private mutating func takeExpect(_ value: Range<Int>, in text: RawSpan) {
    if expects || !text.equals(value, "100-continue") { expectsElse = true }
    expects = true
  }

  private mutating func takeUpgrade(_ value: Range<Int>, in text: RawSpan) {
    HeadLines.eachElement(of: value, in: text) { element in
      if text.equals(element, "websocket") { namesWebSocket = true }
    }
  }

  private mutating func takeConnection(_ value: Range<Int>, in text: RawSpan) throws(RequestFault) {
    var isRight = true
    HeadLines.eachElement(of: value, in: text) { element in
      for offset in element where !isTokenByte(text[offset]) { isRight = false }
      if text.equals(element, "close") { closes = true }
      if text.equals(element, "upgrade") { connectionUpgrades = true }
    }
    if !isRight { throw RequestFault("the header Connection is not a list of words with commas") }
  }

  private mutating func takeLength(_ value: Range<Int>, in text: RawSpan) throws(RequestFault) {
    if length != nil { throw RequestFault("the request has Content-Length twice; send it once") }
    var number = 0
    for offset in value {
      guard 0x30...0x39 ~= text[offset], value.count <= 18 else {
        number = -1
        break
      }
      number = number * 10 + Int(text[offset] - 0x30)
    }
    guard number >= 0, !value.isEmpty else {
      throw RequestFault("Content-Length is not one number of at most 18 decimal digits")
    }
    length = number
  }

  private mutating func takeEncoding(_ value: Range<Int>, in text: RawSpan) throws(RequestFault) {
    if isChunked { throw RequestFault("the request has Transfer-Encoding twice; send it once") }
    guard text.equals(value, "chunked") else {
      throw RequestFault("Transfer-Encoding must be \"chunked\" alone; no other coding is known here")
    }
    isChunked = true
  }

  /// Calls `body` with each element of a list with commas, without spaces around it. Empty ones are left out.
  static func eachElement(of list: Range<Int>, in text: RawSpan, _ body: (Range<Int>) -> Void) {
    var start = list.lowerBound
    while start < list.upperBound {
      var end = start
      while end < list.upperBound, text[end] != UInt8(ascii: ",") { end += 1 }
      let element = text.trimmed(start..<end)
      if !element.isEmpty { body(element) }
      start = end + 1
    }
  }
}
