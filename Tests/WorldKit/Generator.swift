/// The random numbers of worlds: xoshiro256**, seeded by SplitMix64. A world draws from one generator and from nothing
/// else, so that the seed determines the whole world.
package struct Generator {
  private var a: UInt64
  private var b: UInt64
  private var c: UInt64
  private var d: UInt64

  /// Neighbouring seeds give unrelated streams: SplitMix64 spreads them.
  package init(seed: UInt64) {
    var mixer = seed
    func mixed() -> UInt64 {
      mixer &+= 0x9E37_79B9_7F4A_7C15
      var word = mixer
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
    a = mixed()
    b = mixed()
    c = mixed()
    d = mixed()
  }

  /// 64 random bits.
  package mutating func next() -> UInt64 {
    let product = b &* 5
    let result = ((product << 7) | (product >> 57)) &* 9
    let shifted = b << 17
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << 45) | (d >> 19)
    return result
  }

  /// A number from 0 to `bound` − 1.
  package mutating func below(_ bound: Int) -> Int {
    precondition(bound > 0)
    return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// A number from the range.
  package mutating func between(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// True in `percent` of a hundred cases.
  package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// One of the elements; there must be at least one.
  package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// The elements in another order.
  package mutating func shuffle<Element>(_ elements: inout [Element]) {
    guard elements.count > 1 else { return }
    for index in stride(from: elements.count - 1, to: 0, by: -1) { elements.swapAt(index, below(index + 1)) }
  }
}
