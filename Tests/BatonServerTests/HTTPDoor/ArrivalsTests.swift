import Testing

@testable import BatonServer

/// Who is the newest and the oldest of the owner with the most, against a list that is searched.
@Suite struct ArrivalsTests {
  private final class Member {
    let owner: Owner
    var place = -1

    init(_ owner: Owner) { self.owner = owner }
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
        let number = draw(6)
        let member = Member(number < 4 ? .address(UInt64(number)) : .identity(UInt32(number)))
        member.place = arrivals.append(member, of: member.owner)
        plain.append(member)
      } else {
        let gone = plain.remove(at: draw(UInt64(plain.count)))
        arrivals.remove(at: gone.place)
      }
      #expect(arrivals.count == plain.count)
      let counts = Dictionary(plain.map { ($0.owner, 1) }, uniquingKeysWith: +)
      #expect(arrivals.newestOfMost() === plain.last { counts[$0.owner] == counts.values.max() })
      let strangers = plain.count { $0.owner.isAddress }
      let those = plain.filter { $0.owner.isAddress == (strangers * 2 >= plain.count) }
      let most = those.compactMap { counts[$0.owner] }.max()
      #expect(arrivals.oldestOfMost() === those.first { counts[$0.owner] == most })
    }
  }
}
