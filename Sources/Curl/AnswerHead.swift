/// The lines before and behind the body of one answer: heads of provisional answers, its own, and trailers, which are
/// dropped. The library takes lines that others read in another way: what is not plainly HTTP/1.1 or 1.0 is a fault.
struct AnswerHead {
  /// The headers of the last head.
  private(set) var headers: [(name: String, value: String)] = []
  /// Bytes of all these lines.
  private(set) var count = 0
  /// Whether the head of the answer itself is still to come, or to end.
  private(set) var isOpen = true

  private var isAtStatus = true
  private var status: [UInt8] = []

  /// No service has reason to send more.
  private static let most = 64 << 10
  static let tooLong = "the web service sent more than \(most) bytes of headers"

  /// Another head follows this one.
  private var isProvisional: Bool { status.first == UInt8(ascii: "1") }

  /// How long a body the head has said, once it has ended. A 204 has none.
  var saidLength: Int {
    guard !isOpen, !status.elementsEqual("204".utf8) else { return 0 }
    return headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
  }

  /// Takes a line with its end.
  mutating func take(_ line: UnsafeRawBufferPointer) throws(WebFault) {
    count += line.count
    guard count <= Self.most else { throw WebFault(Self.tooLong) }
    var text = line[...]
    if text.last == 0x0A { text = text.dropLast() }
    if text.last == 0x0D { text = text.dropLast() }
    // Others may read a CR as the end of a line, and so another head (RFC 9112, section 2.2).
    if text.contains(0x0D) { throw WebFault("the web service sent a head with a CR that ends no line") }
    if isAtStatus { return try takeStatus(text) }
    if text.isEmpty { return end() }
    let header = try header(text)
    guard isOpen else { return }
    headers.append(header)
    try checkFraming()
  }

  private mutating func end() {
    isAtStatus = isProvisional
    isOpen = isProvisional
  }

  // MARK: Lines

  private mutating func takeStatus(_ line: Slice<UnsafeRawBufferPointer>) throws(WebFault) {
    guard line.starts(with: "HTTP/".utf8) else { throw WebFault("the web service did not answer as HTTP wants it") }
    guard line.starts(with: "HTTP/1.1 ".utf8) || line.starts(with: "HTTP/1.0 ".utf8) else {
      throw WebFault("the web service answered in a version of HTTP that is neither 1.1 nor 1.0")
    }
    // The library would read the first three digits of anything.
    let rest = line.dropFirst("HTTP/1.1 ".utf8.count)
    status = Array(rest.prefix(3))
    guard status.count(where: { 48...57 ~= $0 }) == 3, rest.dropFirst(3).first ?? 0x20 == 0x20 else {
      throw WebFault("the web service answered with a status that is not of three digits")
    }
    // The library would wait for another head, but what follows this one is no HTTP.
    if status.elementsEqual("101".utf8) { throw WebFault("the web service answered with status 101") }
    isAtStatus = false
    // The head before was provisional.
    headers = []
  }

  /// A header, its name in lower case. What begins with a blank goes on with the line before, and a blank before the
  /// colon hides the name from some readers (RFC 9112, section 5). Libraries from 8.18 on join lines by themselves.
  private func header(_ line: Slice<UnsafeRawBufferPointer>) throws(WebFault) -> (name: String, value: String) {
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    guard !name.isEmpty, name.endIndex < line.endIndex, name.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw WebFault("the web service sent a header that is not a name, a colon and a value on one line")
    }
    let value = String(decoding: line[name.endIndex...].dropFirst(), as: UTF8.self)
    return (String(decoding: name, as: UTF8.self).lowercased(), String(value.trimmed))
  }

  // MARK: The length

  private static let framing = ["content-length", "transfer-encoding"]

  /// Throws if the last header is wrong, as far as it says where the body ends.
  private func checkFraming() throws(WebFault) {
    guard let (name, value) = headers.last, Self.framing.contains(name) else { return }
    // The library takes a number that is too large for none, and waits for the end of the connection.
    let isNumber = name != "content-length" || value.utf8.allSatisfy { 48...57 ~= $0 } && Int(value) != nil
    if !isNumber, !value.contains(",") {
      throw WebFault("the web service said a length of its answer that is no number, or too large a one")
    }
    // The library takes one of the lengths. What it is for others, a proxy for instance, nobody knows.
    let hasOther = headers.dropLast().contains {
      Self.framing.contains($0.name) && ($0.name != name || $0.value != value)
    }
    if hasOther || !isNumber {
      throw WebFault("the web service said more than one thing about the length of its answer")
    }
    // The library takes other codings off, and says nothing of a damaged end.
    if name == "transfer-encoding", value.lowercased() != "chunked" {
      throw WebFault("the web service sent its answer in a transfer coding that is not chunked")
    }
  }
}

extension StringProtocol {
  fileprivate var trimmed: SubSequence {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let start = drop(while: isBlank)
    return start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? start[start.startIndex..<start.startIndex]
  }
}
