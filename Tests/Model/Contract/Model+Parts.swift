/// Links that are for a part of the messages (contract, section 5, `percent`).
extension Model {
  /// Whether a message that the link accepts passes it, because it is not in the link's part.
  func isPassed(_ link: Int, by walk: Int) -> Bool {
    let settings = seen(link, by: walk).settings
    if settings.shadow, !keeps(.shadowsHaveParts) { return false }
    if links[link].isMount, !keeps(.mountsHaveParts) { return false }
    if settings.required, !keeps(.requiredIsPassedToo) { return false }
    if walks[walk].mode == .notify, !keeps(.noticesHaveParts) { return false }
    return isPassed(settings, bucket(of: walk))
  }

  func isPassed(_ settings: LinkSettings, _ bucket: Int) -> Bool {
    keeps(.partIsBelow) ? bucket >= settings.percent : bucket > settings.percent
  }

  /// From 0 to 99.
  func bucket(of walk: Int) -> Int {
    if let key = walks[walk].message.key, keeps(.keyChooses) { return Self.bucket(of: key) }
    return Self.bucket(of: String(number(of: walk)))
  }

  /// CRC-32 modulo 100: the remainder of the bits, the lowest of each byte first, by the polynomial, with the first 32 bits
  /// and the remainder turned over.
  static func bucket(of text: String) -> Int {
    var bits: [Bool] = []
    for byte in text.utf8 { for place in 0..<8 { bits.append(byte >> place & 1 == 1) } }
    for _ in 0..<32 { bits.append(false) }
    for place in 0..<32 { bits[place].toggle() }
    var rest: UInt64 = 0
    for bit in bits {
      rest = rest << 1 | (bit ? 1 : 0)
      if rest >> 32 == 1 { rest ^= 0x1_04C1_1DB7 }
    }
    var turned: UInt64 = 0
    for place in 0..<32 { turned = turned << 1 | rest >> UInt64(place) & 1 }
    return Int((turned ^ 0xFFFF_FFFF) % 100)
  }
}
