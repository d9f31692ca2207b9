import Foundation
import Testing

/// The model of the contract knows nothing of the core. If they shared code, their agreement would prove nothing.
struct ModelApartTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  private static func imports(in folder: String) throws -> [String: [String]] {
    let files = try FileManager.default.contentsOfDirectory(
      at: tests.appending(path: folder), includingPropertiesForKeys: nil)
    var imports: [String: [String]] = [:]
    for file in files where file.pathExtension == "swift" {
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      imports[file.lastPathComponent] = lines.filter { $0.split(separator: " ").contains("import") && !isComment($0) }
        .map(String.init)
    }
    return imports
  }

  private static func isComment(_ line: Substring) -> Bool { line.drop { $0 == " " }.hasPrefix("//") }

  @Test func `The model imports what peers ask, which knows nothing of the core, and not more`() throws {
    let imports = try Self.imports(in: "Model/Contract")
    #expect(imports.count > 15)
    #expect(Array(imports.values.joined()) == ["@_exported public import WorldKit"])
    let words = try Self.imports(in: "WorldKit")
    #expect(words.count > 5)
    #expect(Set(words.values.joined()) == ["  import Darwin", "  import Glibc"])
  }

  @Test func `The comparison knows the core's door and settings, and not more`() throws {
    let imports = try Self.imports(in: "Model/Comparison")
    let knowing = imports.filter { $0.value.contains("import BatonCore") }.keys.sorted()
    #expect(knowing == ["Plan+Access.swift", "Plan+Chains.swift", "Plan+Limits.swift", "Plan.swift", "World.swift"])
    #expect(imports.filter { $0.value.contains("import DoorKit") }.keys.sorted() == ["World.swift"])
    #expect(!imports.values.joined().contains { $0.contains("@testable") })
  }
}
