import Foundation
import Testing

/// Which module may know which. The test reads the sources, so that nobody can break a rule unnoticed.
@Suite struct DependencyRulesTests {
  @Test func theCoreImportsNothingButItsScannerAndValues() throws {
    for file in try sources(under: "BatonCore") {
      #expect(imports(of: file.code).subtracting(["BatonLasting", "CScan"]) == [], "\(file.path)")
    }
  }

  /// Values have no rules: whoever hands one on may look at it, and nobody decides with another's code.
  @Test func whatIsHandedOnIsNothingButValues() throws {
    for file in try sources(under: "BatonLasting") {
      #expect(imports(of: file.code) == [], "\(file.path)")
      #expect(!file.code.contains(/\b(class|actor|protocol|mutating)\b/), "\(file.path)")
    }
  }

  @Test func whatReadsHTTPImportsNothing() throws {
    for file in try sources(under: "HTTP") { #expect(imports(of: file.code) == [], "\(file.path)") }
  }

  @Test func theKeeperOfDurableMessagesImportsNothingButValues() throws {
    for file in try sources(under: "BatonKeeper") {
      #expect(imports(of: file.code).subtracting(["BatonLasting"]) == [], "\(file.path)")
    }
  }

  /// A pointer that a peer's bytes could lead astray stands in one file; the others read spans, which check each access.
  @Test func whatReadsHTTPHasItsPointersInOneFile() throws {
    let words = /\b(withUnsafe\w*|UnsafePointer|baseAddress|loadUnaligned|assumingMemoryBound)\b/
    for file in try sources(under: "HTTP") where file.path != "HTTP/Unmasking.swift" {
      let found = file.code.matches(of: words).map { String($0.1) }.filter { $0 != "withUnsafeBytes" }
      #expect(found == [], "\(file.path)")
    }
  }

  @Test func onlyUVKnowsTheLoopsLibrary() throws {
    for file in try sources(under: "") where !file.path.hasPrefix("UV/") {
      // OpenSSL and libcurl have callbacks of their own.
      let isOfCallbacks = file.path.hasPrefix("TLS/") || file.path.hasPrefix("Curl/")
      let words = loopWords(in: file.code).filter { !isOfCallbacks || $0 != "Unmanaged" }
      #expect(words == [], "\(file.path)")
    }
  }

  @Test func onlyTLSKnowsTheLibraryForEncryption() throws {
    // The digests of tokens and of lines, and the signatures of a record.
    let others = ["BatonConfig/", "BatonRecord/"]
    for file in try sources(under: "")
    where !file.path.hasPrefix("TLS/") && !others.contains(where: { file.path.hasPrefix($0) }) {
      #expect(!imports(of: file.code).contains("COpenSSL"), "\(file.path)")
    }
  }

  @Test func onlyThePostingOfTheProgramKnowsLibcurl() throws {
    for file in try sources(under: "") where !file.path.hasPrefix("Curl/") {
      let posting = ["baton/Client/Handle/", "baton/Approvals/Push/", "baton/Otlp/"]
      let mayPost = posting.contains { file.path.hasPrefix($0) }
      #expect(imports(of: file.code).isDisjoint(with: mayPost ? ["CCurl"] : ["CCurl", "Curl"]), "\(file.path)")
    }
  }

  @Test func uvKeepsTheLibraryToItself() throws {
    for file in try sources(under: "UV") {
      #expect(!file.code.contains(/^\s*(public\s+)?import\s+CUV/.anchorsMatchLineEndings()), "\(file.path)")
    }
    let texts = try sources(under: "UV").map(\.code)
    #expect(texts.contains { $0.contains("internal import CUV") })
  }

  @Test(arguments: [
    ("UV", "BatonCore"), ("UV", "BatonServer"), ("BatonServer", "ArgumentParser"), ("BatonServer", "BatonKeeper"),
    ("BatonStore", "BatonCore"), ("BatonStore", "BatonKeeper"), ("BatonExpect", "UV"), ("BatonExpect", "BatonServer"),
    ("BatonExpect", "Glibc"),
  ])
  func knowsNothingOf(target: String, other: String) throws {
    for file in try sources(under: target) { #expect(!imports(of: file.code).contains(other), "\(file.path)") }
  }

  @Test func theRulesCanFail() {
    #expect(imports(of: "internal import Glibc\n@testable import struct Foundation.URL\n") == ["Glibc", "Foundation"])
    #expect(loopWords(in: "let x = uv_now(loop); Unmanaged<A>.self; import CUV") == ["uv_now", "Unmanaged", "CUV"])
    #expect(loopWords(in: withoutComments("a() // uv_now\n/// CUV")) == [])
  }

  // MARK: Reading sources

  private func sources(under target: String) throws -> [(path: String, code: String)] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources")
    let folder = target.isEmpty ? root : root.appendingPathComponent(target)
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    try #require(!names.isEmpty)
    return try names.map { name in
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      return (target.isEmpty ? name : "\(target)/\(name)", withoutComments(text))
    }
  }

  private func withoutComments(_ text: String) -> String { text.replacing(/\/\/.*/, with: "") }

  private func imports(of code: String) -> Set<String> {
    let pattern = /^.*\bimport\s+(?:(?:struct|class|enum|func|protocol|typealias|let|var)\s+)?(\w+)/
    return Set(code.matches(of: pattern.anchorsMatchLineEndings()).map { String($0.1) })
  }

  private func loopWords(in code: String) -> [String] {
    code.matches(of: /\b(uv_\w*|UV_[A-Z]\w*|CUV|Unmanaged)\b/).map { String($0.1) }
  }
}
