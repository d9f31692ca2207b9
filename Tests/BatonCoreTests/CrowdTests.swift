import Testing

@testable import BatonCore

/// Who is the newest and the oldest of the owner with the most, against a list that is searched.
@Suite struct CrowdTests {
  private struct Plain {
    var connection: UInt32
    var owner: UInt64
    var place: Slot<Crowd.Member>
    var isStranger: Bool { owner < 1 << 63 }
  }

  @Test func theyAreFoundAsInAPlainList() {
    var crowd = Crowd()
    var plain: [Plain] = []
    var state: UInt64 = 88_172_645_463_325_252
    func draw(_ most: UInt64) -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state % most
    }
    for number in UInt32(0)..<3000 {
      if plain.count < 30, draw(5) > 1 || plain.isEmpty {
        let one = draw(6)
        let owner = one < 4 ? Crowd.owner(address: one) : Crowd.owner(Slot<Identity>(UInt32(one)))
        plain.append(Plain(connection: number, owner: owner, place: crowd.append(Slot(number), of: owner)))
      } else {
        crowd.remove(plain.remove(at: Int(draw(UInt64(plain.count)))).place)
      }
      #expect(crowd.count == plain.count)
      let counts = Dictionary(plain.map { ($0.owner, 1) }, uniquingKeysWith: +)
      let newest = plain.last { counts[$0.owner] == counts.values.max() }
      #expect(crowd.newestOfMost() == newest.map { Slot($0.connection) } ?? .nobody)
      let strangers = plain.count { $0.isStranger }
      let those = plain.filter { $0.isStranger == (strangers * 2 >= plain.count) }
      let most = those.compactMap { counts[$0.owner] }.max()
      let oldest = those.first { counts[$0.owner] == most }
      #expect(crowd.oldestOfMost() == oldest.map { Slot($0.connection) } ?? .nobody)
    }
  }
}
