internal import BatonLasting

/// A dead letter, as `dead` tells it.
extension DeadLetter {
  /// Its entry, with payload and meta if it is told whole. Who does not see all chains is told the status alone, if the
  /// message went through a mount.
  func text(isWhole: Bool, seesAll: Bool, wall: Int64) -> [UInt8] {
    // The file of a store may say anything.
    let isSound = result.map { DurableResult.isSound($0) } ?? true
    let content = isSound ? content.flatMap { $0.isSound ? $0 : nil } : nil
    var text: [UInt8] = []
    func add(_ name: String, _ value: some Sequence<UInt8>) {
      text += "\(text.isEmpty ? "{" : ",")\"\(name)\":".utf8
      text += value
    }
    add("stored", quoted(message.id.text))
    let head = content?.head ?? []
    let parts = head.withUnsafeBytes { DurableHead($0) }
    if !parts.topicText.isEmpty { add("topic", head[parts.topicText]) }
    add("chain", quoted(message.chain))
    if let key = content?.key { add("key", quoted(key)) }
    if isWhole, let payload = content?.payload {
      if !payload.isEmpty { add("payload", payload) }
      if !parts.meta.isEmpty { add("meta", head[parts.meta]) }
    }
    if isUnreadable { add("unreadable", "true".utf8) }
    add("tries", "\(message.state.tries)".utf8)
    add("ago_ms", "\(max(0, wall - message.acceptedAt))".utf8)
    add("result", toldResult(isDamaged: content == nil && !isUnreadable, seesAll: seesAll))
    return text + [UInt8(ascii: "}")]
  }

  private func quoted(_ text: [UInt8]) -> [UInt8] {
    let plain = OwnedBytes(copying: text)
    let owned = OwnedBytes(quoting: plain.bytes)
    defer {
      extendLifetime(plain)
      extendLifetime(owned)
    }
    return Array(owned.bytes)
  }

  private func toldResult(isDamaged: Bool, seesAll: Bool) -> [UInt8] {
    guard !isDamaged else { return DurableResult.damaged }
    guard let result else { return Array("{\(DurableResult.none)}".utf8) }
    return DurableResult.hasGoneThroughMounts(result) && !seesAll
      ? DurableResult.statusOnly(result) : DurableResult.short(result)
  }
}
