package import BatonLasting

/// What stays has a lane of its own on the way to the disk: as much of it is in hand as of what is durable, and both have one
/// line of numbers, and one attempt each second while commits fail. The keeper decides nothing else about it.
extension Keeper {
  /// Bytes that one turn gives, and one change of any size: whoever gives it copies it.
  private static let mostOfTurn = 1 << 20

  /// Whether the store can have a change of what stays in this turn.
  package var takesStaying: Bool { mayWrite && hasRoomForStaying && staying.bytesOfTurn < Keeper.mostOfTurn }

  /// Whether it can have one in the next turn. While commits fail, `wakeAt` says when.
  package var takesStayingSoon: Bool { failingSince == nil && hasRoomForStaying }

  private var hasRoomForStaying: Bool { staying.bytes < limits.bytesAtOnce }

  /// A change for the store, which takes so many bytes. `KeeperOutput.stays` says what has become of it.
  package mutating func write(_ change: PublicationChange, bytes: Int) -> StoreWrite {
    if failingSince != nil { isProbing = true }
    number += 1
    staying.give(number, bytes: bytes + Keeper.rowBytes)
    return StoreWrite(generation: generation, number: number, change: .stays(change))
  }

  /// What the store has answered takes effect, in order.
  mutating func settleStaying() {
    let (stored, lost) = staying.settle(upTo: storedNumber, atMost: writesPerTurn)
    if stored + lost > 0 { outputs.append(.stays(stored: stored, lost: lost)) }
  }
}
