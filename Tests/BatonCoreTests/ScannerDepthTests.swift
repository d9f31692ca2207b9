import BatonCore
import FuzzKit
import Testing

/// How deep a line may be nested.
@Suite struct ScannerDepthTests {
  /// A line of `depth` levels, its own object included; brackets alternate if `mixed`.
  private func line(depth: Int, mixed: Bool = false) -> [UInt8] {
    let opening = (1..<depth).map { mixed && $0 % 2 == 0 ? #"{"k":"# : "[" }
    let closing = (1..<depth).reversed().map { mixed && $0 % 2 == 0 ? "}" : "]" }
    return Array((#"{"a":"# + opening.joined() + "0" + closing.joined() + "}").utf8)
  }

  @Test(arguments: [1, 2, 3, 64, 65, 128, 10_000], [false, true])
  func theLimitIsTaken(_ depth: Int, mixed: Bool) {
    var twins = ScannerTwins(maximumDepth: depth)
    #expect(twins.outcome(of: line(depth: depth, mixed: mixed)).fault == nil)
  }

  @Test(arguments: [1, 2, 3, 64, 65, 128, 10_000], [false, true])
  func oneMoreIsTooDeepAtItsBracket(_ depth: Int, mixed: Bool) {
    var twins = ScannerTwins(maximumDepth: depth)
    let line = line(depth: depth + 1, mixed: mixed)
    let brackets = [UInt8(ascii: "["), UInt8(ascii: "{")]
    let innermost = line.lastIndex { brackets.contains($0) }
    let fault = twins.outcome(of: line).fault
    #expect(fault?.kind == .tooDeep)
    #expect(fault?.offset == innermost)
  }

  @Test func levelsSideBySideDoNotAddUp() {
    var twins = ScannerTwins(maximumDepth: 3)
    #expect(twins.outcome(of: Array(#"{"a":[[],[],{}],"b":{"c":[],"d":{}},"e":[[]]}"#.utf8)).fault == nil)
  }

  @Test func endlessBracketsAreRefused() {
    var twins = ScannerTwins()
    let line = Array(#"{"a":"#.utf8) + Array(repeating: UInt8(ascii: "["), count: 1_000_000)
    #expect(twins.outcome(of: line).fault == ScanFault(kind: .tooDeep, offset: 5 + 127))
  }

  @Test func aLevelThatIsLeftIsRemembered() {
    // After each closing bracket the scanner must know again whether an object or an array is open.
    var twins = ScannerTwins()
    #expect(twins.outcome(of: Array(#"{"a":[{"b":[1],"c":[{}],"d":{"e":[]}},[{}],2]}"#.utf8)).fault == nil)
    let wrong = Array(#"{"a":[{"b":[1],2}]}"#.utf8)
    #expect(twins.outcome(of: wrong).fault == ScanFault(kind: .badJSON(.missingName), offset: 15))
  }
}
