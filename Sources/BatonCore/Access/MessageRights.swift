/// The rights of an identity of one kind, `send` or `broadcast`, as messages are compared with them.
///
/// A right that cannot fit is passed over after a look at the first eight bytes of the chain's name and of the topic.
/// With 50 rights and 10,000 topics in turn, a message takes a tenth more instructions than without `peers`. Comparing
/// it with one right after the other took twice as many.
struct MessageRights: ~Copyable {
  /// One right.
  private struct Row {
    /// A name or topic can only fit if it begins with these bytes, where the mask is set.
    let chainWord, chainMask, topicWord, topicMask: UInt64
    let chain: UnsafeRawBufferPointer
    let isChainPrefix: Bool
    let pattern: UnsafeRawBufferPointer
    /// The bytes of the pattern before the first token that is a wildcard; nil if there is none.
    let beginning: Int?
    /// Whether nothing but `>` follows.
    let isTail: Bool
  }

  private let rows: UnsafeMutableBufferPointer<Row>
  /// The names and patterns of the rows.
  private let texts: OwnedBytes
  /// What was allowed last: most senders repeat themselves. A name of up to eight bytes is compared as a word.
  private var latestChain = OwnedBytes()
  private var latestWord: UInt64 = 0
  private var latestTopic = OwnedBytes()

  /// No rights.
  init() { self.init(.send, of: []) }

  /// The rights of this kind among `rights`.
  init(_ kind: Right.Kind, of rights: [Right]) {
    let chosen = rights.filter { $0.kind == kind && !$0.isServer }
    var texts = OwnedBytes()
    for right in chosen {
      texts.append(right.chain?.text ?? [])
      texts.append(right.pattern)
    }
    rows = .allocate(capacity: chosen.count)
    var at = 0
    for (number, right) in chosen.enumerated() {
      let chainEnd = at + (right.chain?.text.count ?? 0)
      let end = chainEnd + right.pattern.count
      rows.initializeElement(
        at: number,
        to: MessageRights.row(
          texts.bytes.part(at, chainEnd), isPrefix: right.chain?.isPrefix ?? false, texts.bytes.part(chainEnd, end)))
      at = end
    }
    self.texts = texts
  }

  deinit { rows.deallocate() }

  private static func row(
    _ chain: UnsafeRawBufferPointer, isPrefix: Bool, _ pattern: UnsafeRawBufferPointer
  ) -> Row {
    var start = 0
    var beginning: Int?
    while start <= pattern.count, beginning == nil {
      let end = Pattern.tokenEnd(pattern, from: start)
      let isWild = end - start == 1 && (pattern[start] == UInt8(ascii: ">") || pattern[start] == Pattern.star)
      if isWild { beginning = start }
      start = end + 1
    }
    let topic = pattern.part(0, beginning ?? pattern.count)
    return Row(
      chainWord: chain.firstWord, chainMask: mask(chain, isWhole: !isPrefix),
      topicWord: topic.firstWord, topicMask: mask(topic, isWhole: beginning == nil),
      chain: chain, isChainPrefix: isPrefix, pattern: pattern, beginning: beginning,
      isTail: beginning == pattern.count - 1 && pattern.last == UInt8(ascii: ">"))
  }

  /// The bytes of a first word that a text decides. A whole text that is shorter also says that nothing follows.
  private static func mask(_ text: UnsafeRawBufferPointer, isWhole: Bool) -> UInt64 {
    isWhole || text.count >= 8 ? .max : UInt64(1) << UInt64(8 * text.count) - 1
  }

  /// Whether one of the rights means the chain and the topic. `chain` is empty for a broadcast without `via`: no chain
  /// has an empty name.
  @inline(__always)
  mutating func allow(_ chain: UnsafeRawBufferPointer, _ topic: UnsafeRawBufferPointer) -> Bool {
    isLatest(chain, topic) || find(chain, topic)
  }

  @inline(__always)
  private func isLatest(_ chain: UnsafeRawBufferPointer, _ topic: UnsafeRawBufferPointer) -> Bool {
    latestTopic.count == topic.count && latestChain.count == chain.count && latestWord == chain.firstWord
      && latestTopic.bytes.equals(topic) && (chain.count <= 8 || latestChain.bytes.equals(chain))
  }

  @inline(never)
  private mutating func find(_ chain: UnsafeRawBufferPointer, _ topic: UnsafeRawBufferPointer) -> Bool {
    let (chainWord, topicWord) = (chain.firstWord, topic.firstWord)
    for at in 0..<rows.count {
      let miss =
        ((chainWord ^ rows[at].chainWord) & rows[at].chainMask)
        | ((topicWord ^ rows[at].topicWord) & rows[at].topicMask)
      guard miss == 0, MessageRights.isMeant(chain, topic, by: rows[at]) else { continue }
      remember(chain, topic)
      return true
    }
    return false
  }

  @inline(__always)
  private static func isMeant(
    _ chain: UnsafeRawBufferPointer, _ topic: UnsafeRawBufferPointer, by row: Row
  ) -> Bool {
    if row.isChainPrefix {
      let count = row.chain.count
      guard !chain.isEmpty, chain.count >= count, chain.part(0, count).equals(row.chain) else { return false }
    } else {
      guard chain.equals(row.chain) else { return false }
    }
    guard let beginning = row.beginning else { return topic.equals(row.pattern) }
    guard row.isTail, beginning > 0 else { return Pattern.covers(topic, within: row.pattern) }
    return topic.count > beginning && topic.part(0, beginning).equals(row.pattern.part(0, beginning))
  }

  /// Remembers what is allowed, whoever allows it.
  mutating func remember(_ chain: UnsafeRawBufferPointer, _ topic: UnsafeRawBufferPointer) {
    if !latestChain.bytes.equals(chain) {
      latestChain.shorten(to: 0)
      latestChain.append(chain)
      latestWord = chain.firstWord
    }
    latestTopic.shorten(to: 0)
    latestTopic.append(topic)
  }
}

extension UnsafeRawBufferPointer {
  /// The first eight bytes as one number; zeros stand for those that are not there.
  @inline(__always)
  var firstWord: UInt64 {
    guard let baseAddress else { return 0 }
    if count >= 8 { return UInt64(littleEndian: baseAddress.loadUnaligned(as: UInt64.self)) }
    // What is read twice is the same in both words.
    if count >= 4 {
      let low = UInt32(littleEndian: baseAddress.loadUnaligned(as: UInt32.self))
      let high = UInt32(littleEndian: baseAddress.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
      return UInt64(low) | UInt64(high) &<< UInt64(8 &* (count &- 4))
    }
    var word: UInt64 = 0
    for at in 0..<count { word |= UInt64(self[at]) &<< UInt64(8 &* at) }
    return word
  }
}
