import BatonCore
import Foundation
import Testing

@testable import BatonConfig

/// Files as people write them by mistake: `Tests/Configs/bad-files.txt` has each, with all that the reader says.
@Suite struct BadFilesTests {
  /// One file, and what is said about it.
  struct BadFile: CustomTestStringConvertible, Sendable {
    let title: String
    let text: String
    let told: [String]

    var testDescription: String { title }
    var bytes: [UInt8] { BadFilesTests.bytes(of: text) }
  }

  private static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Configs/bad-files.txt").path
  static let head = (try? String(contentsOfFile: path, encoding: .utf8))?.components(separatedBy: "\n## ").first ?? ""
  static let files: [BadFile] = {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.components(separatedBy: "\n## ").dropFirst().map { part in
      var lines = part.components(separatedBy: "\n")
      while lines.last == "" { lines.removeLast() }
      let told = lines.filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
      let file = lines.dropFirst().filter { !$0.hasPrefix("-- ") }.map { $0 + "\n" }.joined()
      return BadFile(title: lines[0], text: file, told: told)
    }
  }()

  @Test(arguments: files)
  func eachMistakeHasItsPlaceAndSaysWhatToDo(_ file: BadFile) {
    #expect(mistakes(in: file.bytes) == file.told, "\(file.title)")
    #expect(!file.told.isEmpty, "\(file.title): the reader finds nothing")
  }

  @Test func thereAreManyAndEachIsThere() throws {
    #expect(Self.files.count >= 200)
    #expect(Set(Self.files.map(\.title)).count == Self.files.count)
    for key in FileReader.keys + FileReader.chainKeys + FileReader.linkKeys + FileReader.listenKeys
      + FileReader.httpKeys + FileReader.tlsKeys + FileReader.peerKeys + FileReader.clusterKeys
    {
      #expect(Self.files.contains { $0.text.contains(key) && !$0.told.isEmpty }, "\(key) is in no bad file")
    }
  }

  /// Whatever is in force stays in force: a bad file never becomes a configuration, whatever was read before.
  @Test func noneOfThemBecomesAConfiguration() throws {
    let before = try Configuration(file: readOpen("chains: { main: { links: [{ handler: words }] } }\n"))
    for file in Self.files {
      #expect(throws: ConfigMistakes.self, "\(file.title)") {
        try Configuration.read(file.bytes, inPlaceOf: "baton.yaml", variable: { _ in nil })
      }
      let after = try Configuration(file: readOpen("chains: { main: { links: [{ handler: words }] } }\n"))
      #expect(after.changes(from: before, startedWith: before) == ([], []))
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["BAD_FILES_REWRITE"] != nil))
  func writeWhatIsSaid() throws {
    let parts = Self.files.map { file in
      let told = mistakes(in: file.bytes).map { "-- \($0)\n" }.joined()
      return "\n## \(file.title)\n\(file.text)\(told)"
    }
    try (Self.head + "\n" + parts.joined()).write(toFile: Self.path, atomically: true, encoding: .utf8)
  }

  /// The bytes of a file: `‹0D›`, `‹3×ab›` and `‹cut›` are expanded.
  private static func bytes(of text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "‹"), let close = rest[open...].firstIndex(of: "›") {
      bytes += Array(rest[..<open].utf8)
      let inner = rest[rest.index(after: open)..<close]
      rest = rest[rest.index(after: close)...]
      if inner == "cut" { return bytes }
      if let times = inner.firstIndex(of: "×") {
        let text = inner[inner.index(after: times)...]
        for _ in 0..<(Int(inner[..<times]) ?? 0) { bytes += Array(text.utf8) }
      } else {
        var digits = inner[...]
        while !digits.isEmpty {
          bytes.append(UInt8(digits.prefix(2), radix: 16) ?? 0)
          digits = digits.dropFirst(2)
        }
      }
    }
    return bytes + Array(rest.utf8)
  }
}
