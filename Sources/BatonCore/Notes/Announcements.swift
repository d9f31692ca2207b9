// Notes: what there is to tell of the server itself, traces and announcements. It is noted here, where something
// happens; Listeners publishes it. It owns traces and what is noted.

/// What the server has to tell of itself and has not published yet, and which of it somebody listens to.
struct Announcements: ~Copyable {
  private var heard: UInt16 = 0
  private var noted: [Announcement] = []

  var isEmpty: Bool { noted.isEmpty }

  /// Whether somebody listens. Nearly always nobody does: then nothing is built.
  @inline(__always)
  func isHeard(_ topic: Announcement.Topic) -> Bool { heard & topic.mask != 0 }

  /// Whether somebody listens to anything.
  @inline(__always)
  var isAnythingHeard: Bool { heard != 0 }

  mutating func hearsNothing() { heard = 0 }
  mutating func hears(_ topic: Announcement.Topic) { heard |= topic.mask }

  mutating func note(_ announcement: Announcement) { noted.append(announcement) }

  /// Takes out all that was noted.
  mutating func takeNoted() -> [Announcement] {
    var taken: [Announcement] = []
    swap(&taken, &noted)
    return taken
  }
}

extension Announcement.Topic {
  fileprivate var mask: UInt16 {
    switch self {
    case .linkInserted: 1
    case .linkRemoved: 2
    case .linkReplaced: 4
    case .linkHeld: 8
    case .linkBreaker: 16
    case .messageUnhandled: 32
    case .messageTimeout: 64
    case .subscriberMissed: 128
    case .trace: 256
    }
  }
}
