/// Where a page of `explain` or `inspect` begins: the `after` of the page before (contract, section 8, `Pages`).
///
/// It is words with a space between them. `chain/link/rank/arrival` is a place in a chain: the last link that was told
/// there. For `explain` there is a place for each chain on the way through mounts, and then the name of each other
/// chain that was entered, with `/file` if it was entered through declared mounts only. If the last place is that of a mount,
/// and its chain is not among them, the page begins with that chain. The last word may be `/stopped`.
///
/// Names alone would not do, because the link may be gone when the next page is asked for: its rank and arrival still say
/// where it was. The name finds a link that has got another rank.
struct PageStart {
  /// A place in a chain. The names are valid as long as the text.
  struct Place {
    let chain: UnsafeRawBufferPointer
    let link: UnsafeRawBufferPointer
    let rank: Double
    let arrival: Int

    /// The most bytes that a place takes: two names, two numbers, and what is between them.
    static let bound = 2 * 64 + 32 + 20 + 4
  }

  enum Word {
    /// A link that was told before would end the walk.
    case stopped
    case place(Place)
    case entered(UnsafeRawBufferPointer, isByFile: Bool)
  }

  /// The most chains that a message enters, and so an explanation (contract, section 5, `Mounting`). So no walk needs
  /// more than a bounded memory for them.
  static let mostChains = 1000
  /// What follows the name of a chain that was entered through declared mounts only.
  static let byFile: StaticString = "/file"
  /// The last word, if a link that was told would end the walk. No name begins so.
  static let stopped: StaticString = "/stopped"

  private let text: UnsafeRawBufferPointer
  private var at = 0

  init(_ text: UnsafeRawBufferPointer) { self.text = text }

  /// Whether a page of this op could have given the text.
  static func isWellFormed(_ text: UnsafeRawBufferPointer, of op: Op) -> Bool {
    if op == .walks || op == .stored { return walkOrder(text) != nil }
    var start = PageStart(text)
    var (places, others) = (0, 0)
    while let word = start.next() {
      switch word {
      case .place: places += others == 0 ? 1 : mostChains
      case .entered: others += 1
      case .stopped:
        guard start.at > text.count, op == .explain else { return false }
      }
      if places + others > mostChains { return false }
    }
    guard start.at > text.count, places > 0 else { return false }
    return op == .explain || (places == 1 && others == 0)
  }

  /// Where the next page of `walks` begins: the number of the last walk that was told, in the order of their ends. Nil
  /// if the text is not well formed.
  static func walkOrder(_ text: UnsafeRawBufferPointer) -> Int? {
    guard 1...18 ~= text.count, text.first != UInt8(ascii: "0") else { return nil }
    var order = 0
    for byte in text {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
      order = order * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return order
  }

  /// The next word; nil behind the last one, and at a word that is not well formed.
  mutating func next() -> Word? {
    guard at <= text.count else { return nil }
    let parts = text.part(at, end(of: UInt8(ascii: " "), from: at, to: text.count))
    guard let word = PageStart.word(parts) else { return nil }
    at += parts.count + 1
    return word
  }

  private static func word(_ text: UnsafeRawBufferPointer) -> Word? {
    if stopped.withUTF8Buffer({ text.elementsEqual($0) }) { return .stopped }
    let slash = UInt8(ascii: "/")
    var parts = PageStart(text)
    let chain = parts.part(before: slash)
    guard Words.complaint(name: chain) == nil else { return nil }
    if parts.at > text.count { return .entered(chain, isByFile: false) }
    let link = parts.part(before: slash)
    if parts.at > text.count { return link.string == "file" ? .entered(chain, isByFile: true) : nil }
    let rank = parts.part(before: slash)
    let arrival = parts.part(before: slash)
    guard parts.at > text.count, Words.complaint(name: link) == nil, rank.count <= 32, arrival.count <= 20,
      let rank = Double(rank.string), rank.magnitude <= 1e9, let arrival = Int(arrival.string)
    else { return nil }
    return .place(Place(chain: chain, link: link, rank: rank, arrival: arrival))
  }

  /// The bytes up to the next separator or to the end. Nothing if the end is passed.
  private mutating func part(before separator: UInt8) -> UnsafeRawBufferPointer {
    guard at <= text.count else { return .empty }
    let part = text.part(at, end(of: separator, from: at, to: text.count))
    at += part.count + 1
    return part
  }

  private func end(of separator: UInt8, from start: Int, to most: Int) -> Int {
    var end = start
    while end < most, text[end] != separator { end += 1 }
    return end
  }
}
