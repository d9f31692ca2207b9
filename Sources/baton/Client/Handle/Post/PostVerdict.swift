import ArgumentParser
import BatonClient
import Curl
import HTTP

/// What the answer of a web service means. It judges, and does nothing.
enum PostVerdict {
  /// Why an answer is no verdict: the offer has failed.
  struct Fault: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  /// As many bytes of a rejection's words are passed on (contract, section 2).
  private static let mostWords = 1024

  /// The verdict of an answer, whose payload may have so many bytes. Throws where it is none.
  static func of(_ answer: WebAnswer, most: Int) throws(Fault) -> Verdict {
    switch answer.status {
    case 200:
      let rewrites = try rewrites(answer)
      guard !answer.isCut else { throw tooMuch(than: most) }
      let payload = try payload(of: answer)
      if let payload, payload.bytes.count > most {
        throw Fault(
          "the answer of the web service has \(payload.bytes.count) bytes as a JSON string, and the server takes no "
            + "more than \(most)")
      }
      if rewrites { return payload.map { .continue(rewriting: $0) } ?? .continue }
      return payload.map { .handled($0) } ?? .handled
    case 204: return .continue
    case 403, 422:
      if !answer.body.isEmpty { try refuseCoding(of: answer) }
      let words = words(of: answer)
      return words.isEmpty ? .reject() : reject(cut(words, to: mostWords))
    default: throw Fault("the web service answered with status \(answer.status)" + firstLine(of: answer))
    }
  }

  private static func tooMuch(than most: Int) -> Fault {
    Fault("the web service answered with more than \(most) bytes, and the server takes no more")
  }

  /// A rejection in as many words as the contract allows: the library's own are shorter.
  private static func reject(_ words: String) -> Verdict {
    let line = #"{"op":"reject","message":\#(Payload(text: words).json)}"#
    return (try? VerdictLine(Array(line.utf8))).map { .line($0) } ?? .reject(words)
  }

  /// Whether an answer of 200 lets the message go on.
  private static func rewrites(_ answer: WebAnswer) throws(Fault) -> Bool {
    switch answer.values(of: "baton-verdict") {
    case [], ["handled"]: return false
    case ["continue"]: return true
    default: throw Fault("the header Baton-Verdict of the web service is neither handled nor continue")
    }
  }

  // MARK: Bodies

  private enum Kind { case json, text, either }

  /// What is in the body of an answer; nil if there is none.
  private static func payload(of answer: WebAnswer) throws(Fault) -> Payload? {
    if answer.body.isEmpty { return nil }
    let kind = try kind(of: answer)
    guard let text = String(validating: answer.body, as: UTF8.self) else {
      throw Fault("the answer of the web service is not UTF-8")
    }
    if answer.body.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw Fault("the answer of the web service begins with a byte order mark")
    }
    switch kind {
    case .text: return Payload(text: text)
    case .either:
      do {
        return try PayloadArgument.value(ofText: text, from: "the answer of the web service", as: .either(.answer))
      } catch {
        throw Fault((error as? ValidationError)?.message ?? "\(error)")
      }
    case .json:
      guard let json = try? Payload(json: text) else {
        throw Fault("the answer of the web service says that it is JSON, and is not exactly one value of it")
      }
      return json
    }
  }

  /// Nobody reads the words of a body that is packed.
  private static func refuseCoding(of answer: WebAnswer) throws(Fault) {
    guard answer.values(of: "content-encoding").allSatisfy({ ["", "identity"].contains($0.lowercased()) }) else {
      throw Fault("the answer of the web service has a Content-Encoding, and it was not asked for one")
    }
  }

  private static func kind(of answer: WebAnswer) throws(Fault) -> Kind {
    try refuseCoding(of: answer)
    let types = answer.values(of: "content-type")
    guard let type = types.first else { return .either }
    guard types.count == 1 else { throw Fault("the answer of the web service has two Content-Types") }
    let read = ContentType(type)
    if let charset = read?.charset, !["utf-8", "utf8", "us-ascii"].contains(charset) {
      throw Fault("the answer of the web service is in another charset than UTF-8")
    }
    switch read?.name {
    case "application/json": return .json
    case "text/plain": return .text
    default: throw Fault("the type of the answer is neither application/json nor text/plain")
    }
  }

  /// What a rejection says: the text of a JSON string, or the body as it is.
  private static func words(of answer: WebAnswer) -> String {
    let text = String(decoding: answer.body, as: UTF8.self)
    if !answer.isCut, let kind = try? kind(of: answer), kind != .text,
      let said = try? Payload(json: text).decode(String.self)
    {
      return said
    }
    return String(text.trimming(while: \.isWhitespace))
  }

  /// `: ` and the first line of what a service says for people, as far as it is text.
  private static func firstLine(of answer: WebAnswer) -> String {
    guard let kind = try? kind(of: answer), !answer.body.isEmpty else { return "" }
    let text = kind == .text ? String(decoding: answer.body, as: UTF8.self) : words(of: answer)
    let line = text.split(whereSeparator: \.isNewline).first ?? ""
    return line.isEmpty ? "" : ": " + cut(String(line), to: 256)
  }

  /// As many bytes of the text as fit, cut between characters.
  static func cut(_ text: String, to most: Int) -> String {
    if text.utf8.count <= most { return text }
    var (short, count) = ("", 0)
    for scalar in text.unicodeScalars {
      count += scalar.utf8.count
      if count > most { break }
      short.unicodeScalars.append(scalar)
    }
    return short
  }
}

extension String {
  fileprivate func trimming(while isBlank: (Character) -> Bool) -> Substring {
    let start = drop(while: isBlank)
    return start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? ""
  }
}
