/// A hash table with open addressing that finds the member of a key in constant time. At least half of its places are
/// empty, so that each search ends.
///
/// With mixed peers: 13,503 instructions a request, and 14,475 with a dictionary (`Benchmarks/compare --instructions`).
struct MemberTable: ~Copyable {
  /// A place of the table. It is empty if `member` is 255.
  private struct Place {
    var key: MemberKey
    var member: UInt8
  }
  private static let bits: UInt64 = 8
  /// As many members as a set of 128 bits holds have room. With this factor nearly all names are in the first place of their
  /// search, and the others within 4 places.
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

  private let places: UnsafeMutablePointer<Place>

  init() {
    let count = 1 << Int(Self.bits)
    precondition(Member.allCases.count <= count / 2, "the search for an unknown name ends at an empty place")
    places = .allocate(capacity: count)
    for index in 0..<count {
      places[index] = Place(key: MemberKey(word: 0, count: 1), member: .max)
    }
    for member in Member.allCases {
      let spelling = UnsafeBufferPointer(start: member.spelling.utf8Start, count: member.spelling.utf8CodeUnitCount)
      guard let key = MemberKey(spelling) else { preconditionFailure("no member's name is this long") }
      var index = Self.place(of: key)
      while places[index].member != .max { index = Self.place(after: index) }
      places[index] = Place(key: key, member: member.rawValue)
    }
  }

  deinit {
    places.deallocate()
  }

  /// The member with that name; nil if there is none.
  @inline(__always)
  subscript(key: MemberKey) -> Member? {
    var index = Self.place(of: key)
    while true {
      let place = places[index]
      if place.member == .max { return nil }
      if place.key == key { return unsafeBitCast(place.member, to: Member.self) }
      index = Self.place(after: index)
    }
  }

  @inline(__always)
  private static func place(of key: MemberKey) -> Int {
    Int(truncatingIfNeeded: ((key.low ^ key.high) &* factor) &>> (64 &- bits))
  }

  @inline(__always)
  private static func place(after index: Int) -> Int {
    (index &+ 1) & ((1 &<< Int(bits)) &- 1)
  }
}
