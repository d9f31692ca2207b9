import Testing

@testable import BatonCore

/// The numbers that a store reserves for kept events (contract, section 15).
@Suite struct StoredNumbersTests {
  /// A disk that takes its time in a flood: from its first answer on, what is left lasts twice as long as it takes.
  @Test func asManyAreReservedAsTheDiskNeeds() {
    var numbers = StoredNumbers()
    numbers.begin(reserving: 100)
    numbers.begin(after: 0)
    #expect(numbers.nextReserve(lastSeq: 0) == 100)
    numbers.settleReserve(100, isStored: true, lastSeq: 0)
    #expect(numbers.nextReserve(lastSeq: 50) == nil)
    #expect(numbers.nextReserve(lastSeq: 51) == 151)
    // A thousand were used up meanwhile.
    numbers.settleReserve(151, isStored: true, lastSeq: 1051)
    #expect(numbers.nextReserve(lastSeq: 1051) == 5051)
    numbers.settleReserve(5051, isStored: true, lastSeq: 2051)
    #expect(numbers.nextReserve(lastSeq: 3051) == nil)
    #expect(numbers.nextReserve(lastSeq: 3052) == 7052)
    numbers.settleReserve(7052, isStored: true, lastSeq: 4052)
    #expect(numbers.reserved - 4052 == 3000)
  }
}
