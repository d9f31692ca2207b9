/// One word of a right, and where it begins.
struct RightWord {
  let text: String
  let offset: Int
}

/// The words of a right, one after the other.
struct RightWords {
  private var words: [RightWord] = []
  private var at = 0
  private let end: Int

  init(_ text: String) {
    end = text.utf8.count
    var (word, start): ([UInt8], Int) = ([], 0)
    for (offset, byte) in (Array(text.utf8) + [0x20]).enumerated() {
      if byte != 0x20 {
        if word.isEmpty { start = offset }
        word.append(byte)
      } else if !word.isEmpty {
        words.append(RightWord(text: String(decoding: word, as: UTF8.self), offset: start))
        word = []
      }
    }
  }

  mutating func next() -> RightWord? {
    guard at < words.count else { return nil }
    at += 1
    return words[at - 1]
  }

  /// Whether the next word is this one, or the text ends.
  mutating func has(_ word: String) throws(RightError) -> Bool {
    guard let found = next() else { return false }
    if found.text == word { return true }
    throw RightError(
      offset: found.offset, message: "\"\(shortened(found.text))\" does not fit here; only \"\(word)\" may follow")
  }

  mutating func expect(_ word: String, after before: String) throws(RightError) {
    guard let found = next() else {
      throw RightError(
        offset: end, message: "\"\(before)\" needs \"\(word)\" after it, as in \"\(before) \(word) main\"")
    }
    guard found.text == word else {
      throw RightError(
        offset: found.offset, message: "\"\(word)\" must follow \"\(before)\", not \"\(shortened(found.text))\"")
    }
  }

  func expectEnd() throws(RightError) {
    guard at < words.count else { return }
    throw RightError(
      offset: words[at].offset, message: "the right ends before \"\(shortened(words[at].text))\"; leave the rest out")
  }

  mutating func pattern(after before: String) throws(RightError) -> [UInt8] {
    guard let word = next() else {
      throw RightError(offset: end, message: "\"\(before)\" needs a pattern after it, as in \"\(before) chat.>\"")
    }
    let bytes = OwnedBytes(word.text)
    let complaint = Words.complaint(pattern: bytes.bytes)
    extendLifetime(bytes)
    guard let complaint else { return Array(word.text.utf8) }
    throw RightError(offset: word.offset, message: "the pattern \"\(shortened(word.text))\" \(complaint)")
  }

  /// What follows `on`; every topic if the text ends.
  mutating func topics() throws(RightError) -> [UInt8] {
    try has("on") ? try pattern(after: "on") : Right.everyTopic
  }

  mutating func chain(after before: String) throws(RightError) -> NamePattern {
    let name = try place(after: before)
    if let name { return name }
    throw RightError(
      offset: words[at - 1].offset,
      message: "\"server\" means the server in a right, and not a chain; a chain of that name is meant by \"serve*\"")
  }

  /// The chains that a right means; nil for the server.
  mutating func place(after before: String) throws(RightError) -> NamePattern? {
    guard let word = next() else {
      throw RightError(
        offset: end, message: "\"\(before)\" needs the name of a chain after it, as in \"\(before) main\"")
    }
    if word.text == "server" { return nil }
    return try name(word.text[...], at: word.offset, of: "chain")
  }

  /// `CHAIN` or `CHAIN/HANDLER`.
  mutating func link() throws(RightError) -> (NamePattern, NamePattern) {
    guard let word = next() else {
      throw RightError(
        offset: end, message: "\"serve\" needs the name of a chain after it, as in \"serve main/porter\"")
    }
    let parts = word.text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    if parts[0] == "server" {
      throw RightError(
        offset: word.offset,
        message: "\"server\" means the server in a right, and not a chain; a chain of that name is meant by \"serve*\"")
    }
    let chain = try name(parts[0], at: word.offset, of: "chain")
    guard parts.count > 1 else { return (chain, .any) }
    return (chain, try name(parts[1], at: word.offset + parts[0].utf8.count + 1, of: "handler"))
  }

  private func name(_ text: Substring, at offset: Int, of what: String) throws(RightError) -> NamePattern {
    let isPrefix = text.last == "*"
    let name = isPrefix ? text.dropLast() : text
    if isPrefix, name.isEmpty { return .any }
    let bytes = OwnedBytes(String(name))
    let complaint = Words.complaint(name: bytes.bytes)
    extendLifetime(bytes)
    guard let complaint else { return NamePattern(text: Array(name.utf8), isPrefix: isPrefix) }
    throw RightError(
      offset: offset, message: "the name of the \(what) \"\(shortened(String(text)))\" \(complaint); it may end in *")
  }
}
