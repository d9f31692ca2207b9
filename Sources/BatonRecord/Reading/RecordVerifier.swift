/// Reads a record from its first line to its last, and finds out whether it holds. It needs no server, and one may write
/// meanwhile.
package struct RecordVerifier {
  private let folder: RecordFolder
  private let keys: [String: RecordKey]
  private var known: [Int: Set<KnownHead>] = [:]
  private var found = Verification()
  /// The line before.
  private var n = 0
  private var previous: String?
  /// The clock at the last line: of what happened to messages, which may have waited for the disk, and of all others.
  private var (happenedAt, madeAt) = ("", "")
  /// The last file that was taken away, as the record says; with keys, as a head of the same start covers it. Otherwise whoever
  /// can write the folder could say so.
  private var removed: (last: Int, hash: String)?
  private var removedUnheaded: (last: Int, hash: String)?
  private var first: (file: String, n: Int, previous: String)?
  /// The lines that no head of their start covers yet.
  private var unheaded = 0
  private var hasStopped = false
  private var finals: Set<String> = []

  /// `keys`: whose heads count; without any, no signature is checked. `heads`: those that are known from elsewhere.
  package init(_ folder: RecordFolder, keys: [RecordKey] = [], heads: [KnownHead] = []) {
    self.folder = folder
    self.keys = Dictionary(keys.map { ($0.name, $0) }) { first, _ in first }
    for head in heads { known[head.n, default: []].insert(head) }
  }

  /// Throws if the folder cannot be read, or has no record.
  package consuming func verify() throws(RecordError) -> Verification {
    let numbers = try folder.numbers()
    guard let first = numbers.first else { throw RecordError("\(folder.path) has no record") }
    var expected = first
    for number in numbers {
      if number != expected {
        found.add(.init(file: RecordFolder.name(expected), line: 0, n: n, why: "the file is missing"))
        (n, previous) = (0, nil)
      }
      expected = number + 1
      verify(number)
    }
    for number in try folder.strayContents() where !(first..<expected ~= number) {
      let why = "the file is missing, and its contents are there"
      found.add(.init(file: RecordFolder.name(number), line: 0, n: n, why: why))
    }
    checkFirst()
    checkKnown()
    found.unheadedNow = unheaded
    found.unheaded += unheaded
    if !keys.isEmpty, found.keys.isEmpty, found.to > 0 {
      found.add(
        .init(
          file: RecordFolder.name(first), line: 0, n: found.to, why: "no head is signed with the keys that were named"))
    }
    return found
  }

  private mutating func verify(_ number: Int) {
    let name = RecordFolder.name(number)
    do throws(RecordError) {
      guard let file = try LineFile(folder.chain(number)) else { throw RecordError("the file is gone") }
      found.files += 1
      try verify(file, name, number)
    } catch {
      found.add(.init(file: name, line: 0, n: n, why: error.description))
      (n, previous) = (0, nil)
    }
  }

  private mutating func verify(_ file: LineFile, _ name: String, _ number: Int) throws(RecordError) {
    var contents = try ContentsReader(folder.contents(number))
    var isSound = true
    while isSound, let line = try file.next({ RecordLine($0, isChain: true) }) {
      guard let line else {
        bad(
          name, file,
          "it is no object in printable ASCII that begins with n, previous, at and kind, or has a member twice")
        // What follows is held against itself.
        (n, previous) = (0, nil)
        continue
      }
      try take(line, of: name, file, &contents)
      isSound = found.badInAll < 10_000
    }
    // Where it stopped at the most that is told, lines are left.
    if isSound { found.unended += file.rest }
    for (n, line) in try contents.left() {
      // A crash may leave contents whose line was not written any more.
      if n > self.n {
        found.torn += 1
      } else {
        found.add(
          .init(file: name + ".contents", line: line, n: n, why: "no line of the chain is about these contents"))
      }
    }
    found.unended += contents.rest
    if contents.isMangled {
      found.add(.init(file: name + ".contents", line: contents.line, n: n, why: "it is no line of contents"))
    }
  }

  private mutating func lookAtClock(_ line: RecordLine) {
    let hasHappened = ["end", "dead", "missed"].contains(line.kind)
    let isBack = line.at < (hasHappened ? happenedAt : madeAt)
    if isBack || hasHappened { happenedAt = line.at }
    if isBack || !hasHappened { madeAt = line.at }
    guard isBack else { return }
    found.clockBack += 1
    if found.clockBackAt.count < 10 { found.clockBackAt.append(line.n) }
  }

  private mutating func take(
    _ line: RecordLine, of name: String, _ file: LineFile, _ contents: inout ContentsReader
  ) throws(RecordError) {
    if first == nil {
      first = (name, line.n, line.previous)
      found.from = line.n
    }
    if let previous {
      if line.n != n + 1 { bad(name, file, n: line.n, "n is \(line.n), and \(n + 1) was to come") }
      if line.previous != previous { bad(name, file, n: line.n, "previous is not the hash of the line before") }
    }
    lookAtClock(line)
    (n, previous) = (line.n, String(decoding: line.hash, as: UTF8.self))
    found.to = max(found.to, n)
    unheaded += 1
    switch line.kind {
    case "end": try takeEnd(line, of: name, file, &contents)
    case "missed": found.missed &+= line.number("count") ?? 0
    case "removed":
      if let last = line.number("last"), let hash = line.text("hash"), last >= removed?.last ?? 0 {
        if keys.isEmpty { removed = (last, hash) } else { removedUnheaded = (last, hash) }
      }
    case "start": takeStart(line)
    case "head": takeHead(line, of: name, file)
    default: break
    }
    hasStopped = line.kind == "stop" || (hasStopped && line.kind == "head")
  }

  private mutating func takeEnd(
    _ line: RecordLine, of name: String, _ file: LineFile, _ contents: inout ContentsReader
  ) throws(RecordError) {
    found.ends += 1
    if line.flag("final"), let stored = line.text("stored"), !finals.insert(stored).inserted {
      found.repeatedFinals += 1
    }
    guard let hash = line.text("contents") else { return }
    switch try contents.find(line.n) {
    case nil: found.erased += 1
    case let there?:
      found.contents += 1
      if there != hash { bad(name, file, n: line.n, "its contents have another hash") }
    }
  }

  private mutating func takeStart(_ line: RecordLine) {
    let isFirst = line.json("before") == nil
    let left = unheaded - 1
    // The last line of an end in order is a head.
    let isClean = isFirst || hasStopped && left == 0
    removedUnheaded = nil
    found.starts.append(
      .init(n: line.n, at: line.at, start: line.text("start") ?? "", unheaded: isFirst ? 0 : left, isClean: isClean))
    if !isFirst { found.unheaded += left }
    unheaded = 1
  }

  private mutating func takeHead(_ line: RecordLine, of name: String, _ file: LineFile) {
    unheaded = 0
    found.heads += 1
    if known[line.n]?.remove(KnownHead(n: line.n, previous: line.previous)) != nil { found.knownHeads += 1 }
    guard let key = line.text("key"), let signature = line.text("signature") else {
      found.unsigned += 1
      if !keys.isEmpty { bad(name, file, n: line.n, "the head is not signed") }
      return
    }
    found.keys[key, default: 0] += 1
    guard !keys.isEmpty else { return }
    guard let named = keys[key] else {
      found.keys[key] = nil
      return bad(name, file, n: line.n, "the head is signed with a key that was not named: \(key.prefix(64))")
    }
    guard named.hasSigned(Head.text(n: line.n, at: line.at, previous: line.previous), signature) else {
      return bad(name, file, n: line.n, "the signature of the head is wrong")
    }
    removed = removedUnheaded ?? removed
    removedUnheaded = nil
  }

  /// The first line is the first of all, or what was before it was taken away.
  private mutating func checkFirst() {
    guard let first else { return }
    if first.n == 1 {
      if first.previous != String(repeating: "0", count: 64) {
        found.add(
          .init(
            file: first.file, line: 1, n: 1, why: "before the first line there is none, and previous is no row of zeros"
          ))
      }
    } else if removed?.last != first.n - 1 || removed?.hash != first.previous {
      found.add(
        .init(
          file: first.file, line: 1, n: first.n,
          why:
            "the files before it are missing, and no line \(keys.isEmpty ? "" : "that a head covers ")says that they were "
            + "taken away"))
    }
  }

  private mutating func checkKnown() {
    for (n, heads) in known.sorted(by: { $0.key < $1.key }) {
      for _ in heads {
        if n < found.from {
          found.knownHeadsBefore += 1
        } else {
          found.add(.init(file: "", line: 0, n: n, why: "a head that is known from elsewhere is not there"))
        }
      }
    }
    if found.knownHeads == 0, found.knownHeadsBefore > 0 {
      found.add(
        .init(
          file: "", line: 0, n: found.from,
          why:
            "all \(found.knownHeadsBefore) heads that are known from elsewhere are of lines that were taken away: they prove nothing"
        ))
    }
  }

  private mutating func bad(_ name: String, _ file: LineFile, n: Int? = nil, _ why: String) {
    found.add(.init(file: name, line: file.number, n: n ?? self.n + 1, why: why))
  }
}

/// The lines of one file of contents, in the order of their numbers.
struct ContentsReader {
  private let file: LineFile?
  private var next: (n: Int, hash: String, line: RecordLine)?
  private(set) var isMangled = false
  private var untold: [(n: Int, line: Int)] = []
  var line: Int { file?.number ?? 0 }
  /// The bytes behind the last line, once all were read.
  var rest: Int { isMangled ? 0 : file?.rest ?? 0 }

  init(_ path: String) throws(RecordError) {
    file = try LineFile(path)
    try advance()
  }

  private mutating func advance() throws(RecordError) {
    next = nil
    guard let file, !isMangled else { return }
    guard let read = try file.next({ RecordLine($0, isChain: false) }) else { return }
    guard let read else { return isMangled = true }
    next = (read.n, String(decoding: read.hash, as: UTF8.self), read)
  }

  /// The hash of the contents of a line; nil if they are not there. Those before it are nobody's.
  mutating func find(_ n: Int) throws(RecordError) -> String? {
    try skip(before: n)
    guard let here = next, here.n == n else { return nil }
    try advance()
    return here.hash
  }

  /// The contents of a line themselves.
  mutating func read(_ n: Int) throws(RecordError) -> RecordLine? {
    try skip(before: n)
    guard let here = next, here.n == n else { return nil }
    try advance()
    return here.line
  }

  private mutating func skip(before n: Int) throws(RecordError) {
    while let here = next, here.n < n {
      if untold.count < 100 { untold.append((here.n, line)) }
      try advance()
    }
  }

  /// Those that no line was about.
  mutating func left() throws(RecordError) -> [(n: Int, line: Int)] {
    try skip(before: .max)
    return untold
  }
}
