import Testing

@testable import BatonServer

/// Who is the newest and the oldest of the address with the most, against a list that is searched.
@Suite struct ArrivalsTests {
  private final class Member {
    let address: UInt64
    var place = -1

    init(_ address: UInt64) { self.address = address }
  }

  @Test func theyAreFoundAsInAPlainList() {
    var arrivals = Arrivals<Member>()
    var plain: [Member] = []
    var state: UInt64 = 88_172_645_463_325_252
    func draw(_ most: UInt64) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % most)
    }
    for _ in 0..<3000 {
      if plain.count < 30, draw(5) > 1 || plain.isEmpty {
        let member = Member(UInt64(draw(4)))
        member.place = arrivals.append(member, from: member.address)
        plain.append(member)
      } else {
        let gone = plain.remove(at: draw(UInt64(plain.count)))
        arrivals.remove(at: gone.place)
      }
      #expect(arrivals.count == plain.count)
      let counts = Dictionary(plain.map { ($0.address, 1) }, uniquingKeysWith: +)
      let most = counts.values.max()
      #expect(arrivals.newestOfMost() === plain.last { counts[$0.address] == most })
      #expect(arrivals.oldestOfMost() === plain.first { counts[$0.address] == most })
    }
  }
}
