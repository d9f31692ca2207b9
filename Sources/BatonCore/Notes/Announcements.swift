// Notes: what the server tells about itself, in traces and announcements. Announcements are noted here, at the time of
// the event; Listeners publishes them. It owns traces and the notes.

/// The server's own broadcasts that are not published yet, and the topics that have a subscriber. It knows neither
/// subscriptions nor connections.
struct Announcements: ~Copyable {
  /// The topics that have a subscriber, as a mask.
  private var heard: UInt32 = 0
  private var noted: [Announcement] = []
  /// The number of announcements at the front of `noted` that were taken.
  private var taken = 0
  /// The bytes of the payloads that wait.
  private var waitingBytes = 0
  /// The announcements but for traces that were dropped, because too many waited.
  private var dropped = 0
  /// The traces that were dropped, ever. Each listener to traces learns of them by itself.
  private(set) var droppedTraces = 0

  /// The most announcements that wait, and the most bytes of their payloads.
  private static var most: Int { 4096 }
  private static var mostBytes: Int { 4 << 20 }

  var isEmpty: Bool { noted.count == taken }

  /// Whether the topic has a subscriber. Usually it has none, and then nothing is built.
  @inline(__always)
  func isHeard(_ topic: Announcement.Topic) -> Bool { heard & topic.mask != 0 }

  /// Whether any topic of the server has a subscriber.
  @inline(__always)
  var isAnythingHeard: Bool { heard & ~Self.others != 0 }

  /// Whether steps of messages are wanted from the start: for `$baton.trace`, for the record, or for traces that go beyond
  /// this server. It is one look for all.
  @inline(__always)
  var wantsSteps: Bool { heard & Self.others != 0 }

  /// Whether somebody listens to the traces of all messages, and not only of those that go beyond this server.
  @inline(__always)
  var areAllTracesHeard: Bool { heard & Self.tracing != 0 }

  private static var recording: UInt32 { 1 << 31 }
  private static var sampling: UInt32 { 1 << 30 }
  private static var tracing: UInt32 { 1 << 29 }
  /// What is no topic.
  private static var others: UInt32 { recording | sampling | tracing }

  mutating func hearsNothing() { heard &= Self.others }
  mutating func hearsAllTraces(_ isOn: Bool) { if isOn { heard |= Self.tracing } else { heard &= ~Self.tracing } }
  /// Whether some messages are traced beyond this server.
  mutating func samples(_ isOn: Bool) { if isOn { heard |= Self.sampling } else { heard &= ~Self.sampling } }
  /// Whether messages are recorded.
  mutating func records(_ isOn: Bool) { if isOn { heard |= Self.recording } else { heard &= ~Self.recording } }
  mutating func hears(_ topic: Announcement.Topic) { heard |= topic.mask }

  /// Notes an announcement. If too much waits already, it is dropped and counted.
  mutating func note(_ announcement: Announcement) {
    let bytes = announcement.payload.utf8.count
    if !isEmpty, waitingBytes + bytes > Self.mostBytes || noted.count - taken >= Self.most {
      if announcement.trace == nil { dropped += 1 } else { droppedTraces += 1 }
      return
    }
    waitingBytes += bytes
    noted.append(announcement)
  }

  /// Removes and returns what was noted first.
  mutating func takeFirst() -> Announcement? {
    guard !isEmpty else { return nil }
    let first = noted[taken]
    waitingBytes -= first.payload.utf8.count
    taken += 1
    if taken == noted.count || taken >= 64 && taken * 2 >= noted.count {
      noted.removeFirst(taken)
      taken = 0
    }
    return first
  }

  /// The announcements that were dropped since this was called last.
  mutating func takeDropped() -> Int {
    defer { dropped = 0 }
    return dropped
  }
}

extension Announcement.Topic {
  fileprivate var mask: UInt32 {
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
    case .linkFailed: 512
    case .accessDenied: 1024
    case .reloaded: 2048
    case .linkMoved: 4096
    case .messageDead: 8192
    case .recordHead: 16384
    case .nodeJoined: 32768
    case .nodeLost: 65536
    }
  }
}
