/// `"chain":"main","handler":"porter"`: the members that every line about a link has, written once.
struct LinkLabel: ~Copyable {
  /// It is padded, because it is copied with every offer.
  private let text: OwnedBytes
  private let nameStart: Int

  /// Names need no escapes (contract, section 3).
  init(chain: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer) {
    text = OwnedBytes(padded: "\"chain\":\"\(chain.string)\",\"handler\":\"\(name.string)\"")
    nameStart = text.count - name.count - 2
  }

  @inline(__always)
  var bytes: UnsafeRawBufferPointer { text.bytes }
  var count: Int { text.count }
  /// The handler's name as a JSON string.
  @inline(__always)
  var name: UnsafeRawBufferPointer { text.bytes.part(nameStart, text.count) }
}
