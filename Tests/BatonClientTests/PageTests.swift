import Foundation
import Testing

/// The library's page, Clients/swift/README.md.
@Suite struct PageTests {
  /// What the page shows under "Types and tests" is a file of these tests, and so it is tried.
  @Test func theTypedHandlerOfThePageIsTried() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let example = try String(contentsOf: here.appending(path: "PageExample.swift"), encoding: .utf8)
    let page = try String(contentsOf: here.appending(path: "../../Clients/swift/README.md"), encoding: .utf8)
    #expect(page.contains("```swift\n\(example)```"))
  }
}
