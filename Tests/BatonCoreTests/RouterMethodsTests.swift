import Foundation
import Testing

/// A call that only borrows the router copies all of it onto the stack first, one that may change it hands over its
/// address: measured, that was an eighth of the cost of a message.
@Suite struct RouterMethodsTests {
  @Test func everyMethodIsMutating() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/BatonCore/Chain")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("Router+") }
    #expect(files.count > 20)
    for file in files {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let words = line.split(separator: " ")
        guard line.hasPrefix("  "), !line.hasPrefix("   "), words.contains("func") else { continue }
        let isRight = words.contains("mutating") || words.contains("static")
        #expect(isRight, "\(file.lastPathComponent): \(line)")
      }
    }
  }
}
