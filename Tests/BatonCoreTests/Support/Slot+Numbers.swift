@testable import BatonCore

/// Tests write slots as numbers, and sort them.
extension Slot: ExpressibleByIntegerLiteral, Comparable where Element: ~Copyable {
  init(integerLiteral value: UInt32) { self.init(value) }
  static func < (left: Slot, right: Slot) -> Bool { left.index < right.index }
}
