import Foundation
import HTTPKit
import Testing

/// A line of `requests.txt`: what comes, and what is read.
struct RequestCase: CustomTestStringConvertible, Sendable {
  /// The whole requests, each as `METHOD:TARGET:BODY`, and the end: a status, or `more`, or `all`.
  let expected: [String]
  let bytes: [UInt8]
  let number: Int

  var testDescription: String { "requests.txt, line \(number)" }

  static let all: [RequestCase] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("requests.txt")
    let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(
      separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { number, line in RequestCase(String(line), number: number + 1) }
  }()

  /// Nil for a comment and an empty line.
  private init?(_ line: String, number: Int) {
    guard !line.isEmpty, !line.hasPrefix("#"), let arrow = line.range(of: " <- ") else { return nil }
    expected = line[..<arrow.lowerBound].split(separator: " ").map { String($0) }
    bytes = RequestCase.unescaped(line[arrow.upperBound...])
    self.number = number
  }

  /// `\r`, `\n`, `\t`, `\\`, `\xHH`; `\{HH*N}` is a byte N times.
  private static func unescaped(_ text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      switch kind {
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "x"):
        bytes.append(UInt8(String(Substring(rest.prefix(2))), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      case UInt8(ascii: "{"):
        let parts = String(Substring(rest.prefix { $0 != UInt8(ascii: "}") })).split(separator: "*")
        bytes += [UInt8](repeating: UInt8(parts[0], radix: 16) ?? 0, count: Int(parts[1]) ?? 0)
        rest = rest.drop { $0 != UInt8(ascii: "}") }.dropFirst()
      default: bytes.append(kind)
      }
    }
    return bytes
  }

  /// What the events say, in the words of the file.
  static func summary(_ events: [String]) -> [String] {
    var words: [String] = []
    var (request, body): (String?, String) = (nil, "")
    for event in events {
      let parts = event.split(separator: " ", omittingEmptySubsequences: false)
      switch parts[0] {
      case "head": (request, body) = ("\(parts[1]):\(parts[2])", "")
      case "body": body = String(parts[1])
      case "end":
        words.append("\(request ?? ""):\(RequestCase.text(hex: body))")
        request = nil
      default: words.append(String(parts[1]))
      }
    }
    return words
  }

  private static func text(hex: String) -> String {
    let digits = Array(hex.utf8)
    let bytes = stride(from: 0, to: digits.count, by: 2).map { start in
      UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16) ?? 0
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
