/// A topic of which events are kept, or were.
struct KeptTopic: ~Copyable {
  let name: OwnedBytes
  /// Its entry in the configuration file, -1 for none; and of which version of the file.
  var rule: Int
  var version: Int
  /// Its events, the oldest first; `nobody` if none is left.
  var first = Slot<KeptEvent>.nobody
  var last = Slot<KeptEvent>.nobody
  var count = 0
  /// The last of its events that is not kept any more; 0 if there is none.
  var goneUpTo = 0
  /// Counts what was dropped of all topics: the number of its latest drop; 0 if there was none.
  var drop = 0
  let hash: UInt32
  var node = Slot<OrderNode>.nobody

  init(_ name: UnsafeRawBufferPointer, hash: UInt32, rule: Int, version: Int) {
    self.name = OwnedBytes(copying: name)
    self.hash = hash
    self.rule = rule
    self.version = version
  }

  var bytes: Int { name.count + 256 }
}

/// An event that is kept.
struct KeptEvent: ~Copyable {
  let seq: Int
  let topic: Slot<KeptTopic>
  /// For whom it counts.
  let owner: Slot<KeptOwner>
  /// What subscribers get. `from` is a JSON string.
  let payload: OwnedBytes
  let meta: OwnedBytes
  let from: OwnedBytes
  /// When it was published.
  let at: Instant
  /// The events before and behind it, of its topic and of its owner.
  var ofTopic = Neighbours()
  var ofOwner = Neighbours()
  var node = Slot<OrderNode>.nobody

  struct Neighbours {
    var previous = Slot<KeptEvent>.nobody
    var next = Slot<KeptEvent>.nobody
  }

  var bytes: Int { KeptEvent.bytes(payload.count + meta.count + from.count) }
  static func bytes(_ text: Int) -> Int { text + 256 }
}
