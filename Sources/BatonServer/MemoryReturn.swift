internal import UV

/// Gives memory back to the system after a storm, in steps between the turns of the loop, so that no turn waits for it.
///
/// While the server works, it looks once a second at what is resident. If that is well above what it was at the start
/// and does not grow, what is free is given back. Where nothing is free, this costs some microseconds. Where what was
/// free is needed again, the kernel finds it again, page by page; therefore it is done every few seconds at most.
final class MemoryReturn {
  private var timer: Timer?
  private var stage = Stage.idle
  /// Whether the server has worked since the last look that found little, or since the last return.
  @exclusivity(unchecked) private var hasWorked = false
  /// What was resident at the start, and at the last look.
  private let start = ProcessMemory.resident
  private var last = 0
  /// Looks that pass before the next return.
  private var looksToPass = 0

  private enum Stage {
    case idle, watching
    case givingBack(HeapTrimmer)
    case lettingGo(HeapTrimmer)
  }

  /// More than this above the start is worth a return.
  private static let worthwhile = 16 << 20
  /// What may come between two looks without being growth.
  private static let jitter = 1 << 20
  private static let looksBetweenReturns = 2
  private static let secondMicroseconds: Int64 = 1_000_000
  /// Between two steps, so that others come first.
  private static let pauseMicroseconds: Int64 = 1000

  init(on loop: Loop) throws(UVError) {
    timer = try Timer(on: loop) { [unowned self] in goOn() }
  }

  /// The loop has had a turn with work.
  @inline(__always)
  func noteWork() { if !hasWorked { begin() } }

  private func begin() {
    hasWorked = true
    if case .idle = stage { watch() }
  }

  private func watch() {
    stage = .watching
    wake(after: MemoryReturn.secondMicroseconds)
  }

  private func wake(after microseconds: Int64) {
    timer?.set(microseconds: MonotonicClock.microseconds + microseconds)
  }

  private func goOn() {
    switch stage {
    case .idle: break
    case .watching: look()
    case .givingBack(let trimmer):
      if !trimmer.giveBack() { stage = .lettingGo(trimmer) }
      wake(after: MemoryReturn.pauseMicroseconds)
    case .lettingGo(let trimmer):
      if trimmer.letGo() { return wake(after: MemoryReturn.pauseMicroseconds) }
      last = ProcessMemory.resident
      looksToPass = MemoryReturn.looksBetweenReturns
      watch()
    }
  }

  private func look() {
    let now = ProcessMemory.resident
    let isGrowing = now > last + MemoryReturn.jitter
    last = now
    if now <= start + MemoryReturn.worthwhile || !hasWorked {
      hasWorked = false
      stage = .idle
    } else if isGrowing || looksToPass > 0 {
      looksToPass -= looksToPass > 0 ? 1 : 0
      watch()
    } else {
      hasWorked = false
      // Where the address space is limited, what is held must not make another allocation fail.
      stage = .givingBack(HeapTrimmer(holdingAtMost: MemoryRoom.addressSpaceLeft.map { $0 / 4 } ?? .max))
      wake(after: MemoryReturn.pauseMicroseconds)
    }
  }

  func close() {
    timer?.close()
    timer = nil
  }
}
