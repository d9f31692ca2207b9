internal import BatonLasting

/// The few things that a store knows of itself: names, and bytes with a checksum.
///
/// - `secret`: 16 bytes for digests, from the first day.
/// - `mark`: of this start or a later one, as in `FILE.mark`, and what the system says of that file since. A copy that
///   `baton store backup` makes has none.
/// - `epoch`: of the kept events.
/// - `reserved`: no `seq` above it was used. `ended`: the last `seq`; it is there after an end in order alone.
/// - `again`: see `StoreStart`.
/// - `failures`: see `Store.overwriteFailure`.
/// - `log`: how far a cluster's log is carried out (`LogPosition`). A server without a cluster removes it.
/// - `leads`: the start that leads with the file, or led and died. It is of this file alone: no copy has it, nor one that was put
///   back, nor one that ended in order.
struct Facts {
  private var values: [String: [UInt8]] = [:]
  private var gone: [String] = []

  init(_ database: Database) throws(DatabaseError) {
    let statement = try database.prepare("SELECT name, value FROM fact ORDER BY name")
    while try statement.step() {
      let name = statement.text(0)
      // No fact has no bytes: so it is told as one that no server has written.
      values[name] = FactRow.read(statement.bytes(1), name: name) ?? []
    }
  }

  subscript(name: String) -> [UInt8]? {
    get { values[name] }
    set {
      values[name] = newValue
      if newValue == nil { gone.append(name) }
    }
  }

  func number(_ name: String) -> UInt64? {
    guard let bytes = values[name], bytes.count == 8 else { return nil }
    return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  func text(_ name: String) -> String { String(decoding: values[name] ?? [], as: UTF8.self) }

  /// What no server can have written, one line each.
  func slips(in database: Database) throws(DatabaseError) -> [String] {
    var slips = values.keys.sorted().filter { !isPossible($0) }.map { "fact \($0): no server has written it" }
    // They are written together, before all else.
    let missing = ["epoch", "reserved", "secret"].filter { values[$0] == nil }
    let hasRows = try Facts.hasRows(database)
    if hasRows || !values.isEmpty { slips += missing.map { "fact \($0): it is missing" } }
    return slips
  }

  /// Whether there is anything beside facts.
  static func hasRows(_ database: Database) throws(DatabaseError) -> Bool {
    try database.number(
      """
      SELECT EXISTS(SELECT 1 FROM message) OR EXISTS(SELECT 1 FROM once) OR EXISTS(SELECT 1 FROM value)
        OR EXISTS(SELECT 1 FROM event)
      """) != 0
  }

  func isPossible(_ name: String) -> Bool {
    let bytes = values[name] ?? []
    return switch name {
    case "secret": bytes.count == 16
    // With what the system says of its file, or without, if that could not be asked.
    case "mark": bytes.count == 32 || bytes.count == 56
    case "epoch": bytes.count == 16 && StoredID(text: bytes + Array("-1".utf8)) != nil
    case "reserved", "ended": number(name).map { $0 <= RowBounds.mostReserved } ?? false
    case "again": number(name).map { $0 <= RowBounds.rows.upperBound } ?? false
    case "failures": bytes.count == 8
    case "log": bytes.count == 40
    case "leads": (1...32).contains(bytes.count)
    default: false
    }
  }

  var secret: Secret {
    let bytes = values["secret"] ?? []
    let words = [0, 8].map { from in bytes.dropFirst(from).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    return Secret(high: words[0], low: words[1])
  }

  static func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) } }

  /// Writes all of them, in one commit.
  func write(to database: Database) throws(DatabaseError) {
    try database.run("BEGIN IMMEDIATE")
    try put(into: database)
    try database.run("COMMIT")
  }

  /// Writes all of them, in the commit that is open.
  func put(into database: Database) throws(DatabaseError) {
    let insert = try database.prepare("INSERT OR REPLACE INTO fact VALUES(?, ?)")
    for name in values.keys.sorted() {
      insert.bind(1, name)
      try withBytes(FactRow.written(values[name] ?? [], name: name)) { (value) throws(DatabaseError) in
        insert.bind(2, value)
        try insert.run()
      }
    }
    let delete = try database.prepare("DELETE FROM fact WHERE name = ?")
    for name in gone where values[name] == nil {
      delete.bind(1, name)
      try delete.run()
    }
  }
}
