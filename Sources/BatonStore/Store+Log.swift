package import BatonLasting

/// The file of a node of a cluster: what its log says is carried out here, in the order of the log.
extension Store {
  /// How far the log is carried out; nil: the file is in no log.
  package func logPosition() throws(StoreError) -> LogPosition? {
    try Opening.worded(path.path) { () throws(DatabaseError) in try Facts(database).logPosition }
  }

  /// Whether nothing stands in it that anybody has sent.
  package func isEmpty() throws(StoreError) -> Bool {
    try Opening.worded(path.path) { () throws(DatabaseError) in try !Facts.hasRows(database) }
  }

  /// What it says of itself now that its node leads.
  package func leads() throws(StoreError) -> StoreStart {
    try Opening.worded(path.path) { () throws(DatabaseError) in
      StoreStart(try Facts(database), isNew: false, continues: true)
    }
  }

  /// Remembers that this start leads with it from now on. If it dies, the next process with this file may lead at once. Where the
  /// disk does not take that, the next one waits as others do.
  package func remember(start: String) {
    saysWhoLeads = true
    try? setFact("leads", Array(start.utf8))
  }

  /// Says that nobody leads with it, before others are told so.
  func forgetWhoLeads() {
    guard saysWhoLeads else { return }
    do throws(DatabaseError) { try database.run("DELETE FROM fact WHERE name = 'leads'") } catch {
      // A disk that is full takes this: then it is not the file that this machine wrote last.
      guard (try? mark.write(Opening.random(4))) != nil else { return }
    }
    saysWhoLeads = false
  }

  /// Lets a log begin with this file when its node leads. Whatever another leadership wrote before this wall time counts no more,
  /// and one that comes later makes this void.
  package func beginLog(wall: Int64) throws(StoreError) {
    try Opening.worded(path.path) { () throws(DatabaseError) in
      var facts = try Facts(database)
      // A leadership has the number 8 × its wall time and the place of its node.
      facts["log"] = LogPosition.toBegin(after: 8 * wall + 7).bytes
      try facts.write(to: database)
    }
  }

  func carryOut(_ step: LogStep) throws {
    switch step {
    case .commit(let body, _):
      guard let changes = LogChanges.read(body) else { throw isUnreadable }
      var going: ClosedRange<UInt64>?
      for change in changes { try carryOut(change, &going) }
      try remove(&going)
    case .leads:
      var facts = try Facts(database)
      try Opening.goOn(&facts, database, continues: true)
      try facts.put(into: database)
    case .begins(let base, _):
      var facts = try Facts(database)
      guard facts.take(base: base) else { throw isUnreadable }
      try facts.put(into: database)
    }
    try setFact("log", step.position.bytes)
  }

  private var isUnreadable: StoreError {
    StoreError(
      "a record of the log is damaged; let a log begin with this file, or with another node's (baton store begin-log)")
  }

  /// The facts with which a log begins; nil if the disk does not give them.
  func readBase() -> [UInt8]? {
    do {
      var facts = try Facts(database)
      try Opening.goOn(&facts, database, continues: true)
      return facts.base
    } catch {
      if let error = error as? DatabaseError { noteRead(error) }
      return nil
    }
  }
}

extension StoreFile {
  /// How far a cluster's log is carried out in it; nil: it is in no log.
  package func logPosition() throws(StoreError) -> LogPosition? {
    try Opening.worded(name) { () throws(DatabaseError) in try Facts(database).logPosition }
  }
}

extension Opening {
  /// What the file answers, or the words for what it does not give.
  fileprivate static func worded<Answer>(
    _ name: String, _ ask: () throws(DatabaseError) -> Answer
  ) throws(StoreError) -> Answer {
    do throws(DatabaseError) { return try ask() } catch { throw words(for: error, name) }
  }
}

extension Facts {
  fileprivate var logPosition: LogPosition? { self["log"].flatMap { LogPosition($0) } }

  /// What all files of a log have in common.
  private static let common = [("secret", 16), ("epoch", 16), ("reserved", 8), ("again", 8)]

  fileprivate var base: [UInt8] { Facts.common.flatMap { self[$0.0] ?? [] } }

  /// Takes these over. Returns whether they can be facts.
  fileprivate mutating func take(base: [UInt8]) -> Bool {
    guard base.count == Facts.common.reduce(0, { $0 + $1.1 }) else { return false }
    var rest = base[...]
    for (name, count) in Facts.common {
      self[name] = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    self["ended"] = nil
    return Facts.common.allSatisfy { isPossible($0.0) }
  }
}
