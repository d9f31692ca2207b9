/// One connection that serves a link.
///
/// When the link is replaced or removed, or its connection goes on to another name, the replica is detached: it takes
/// no further offers, and lives on until those that it holds are settled.
struct Replica: ~Copyable {
  let link: Ref<Link>
  let connection: UInt32
  let label: LinkLabel
  /// Offers that it holds.
  var open = 0
  var isDetached = false
  /// Neighbours among those of the same connection.
  var previous = Walk.nobody
  var next = Walk.nobody

  init(link: Ref<Link>, connection: UInt32, chain: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer) {
    self.link = link
    self.connection = connection
    label = LinkLabel(chain: chain, name: name)
  }

  /// The handler's name as a JSON string.
  var name: UnsafeRawBufferPointer { label.name }
}

/// `"chain":"main","handler":"porter"`: what every line about a link says, written out once.
struct LinkLabel: ~Copyable {
  private let text: OwnedBytes
  private let nameStart: Int

  /// Names need no escapes (contract, section 3).
  init(chain: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer) {
    text = OwnedBytes("\"chain\":\"\(chain.string)\",\"handler\":\"\(name.string)\"")
    nameStart = text.count - name.count - 2
  }

  var bytes: UnsafeRawBufferPointer { text.bytes }
  var count: Int { text.count }
  /// The handler's name as a JSON string.
  var name: UnsafeRawBufferPointer { text.bytes.part(nameStart, text.count) }
}
