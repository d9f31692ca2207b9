// Notes: what the server tells about itself, in traces and announcements. Announcements are noted here, at the time of
// the event; Listeners publishes them. It owns traces and the notes.

/// The server's own broadcasts that are not published yet, and the topics that have a subscriber. It knows neither
/// subscriptions nor connections.
struct Announcements: ~Copyable {
  /// The topics that have a subscriber, as a mask.
  private var heard: UInt16 = 0
  private var noted: [Announcement] = []

  var isEmpty: Bool { noted.isEmpty }

  /// Whether the topic has a subscriber. Usually it has none, and then nothing is built.
  @inline(__always)
  func isHeard(_ topic: Announcement.Topic) -> Bool { heard & topic.mask != 0 }

  /// Whether any topic of the server has a subscriber.
  @inline(__always)
  var isAnythingHeard: Bool { heard != 0 }

  mutating func hearsNothing() { heard = 0 }
  mutating func hears(_ topic: Announcement.Topic) { heard |= topic.mask }

  mutating func note(_ announcement: Announcement) { noted.append(announcement) }

  /// Removes and returns all that was noted.
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
