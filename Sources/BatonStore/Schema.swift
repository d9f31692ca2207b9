/// What the tables of a store look like, and how an older store becomes a newer one.
enum Schema {
  /// "Batn", in the header of the file: it is a store of Baton.
  static let applicationID: Int64 = 0x4261_746e

  /// Of a page: what SQLite takes by itself.
  static let pageBytes = 4096

  /// Step `n` makes version `n + 1` of version `n`; version 0 is an empty file. A step is never changed after a release:
  /// what a store needs besides is a further step, and a test for it.
  static let steps = [
    """
    CREATE TABLE fact(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE message(
      row INTEGER PRIMARY KEY, once BLOB, about BLOB NOT NULL, head BLOB NOT NULL, sender BLOB NOT NULL, \
    payload BLOB NOT NULL);
    CREATE TABLE state(row INTEGER PRIMARY KEY, about BLOB NOT NULL, result BLOB);
    CREATE TABLE once(row INTEGER PRIMARY KEY, about BLOB NOT NULL, result BLOB);
    CREATE TABLE value(
      change INTEGER PRIMARY KEY, topic BLOB NOT NULL UNIQUE, about BLOB NOT NULL, payload BLOB NOT NULL);
    CREATE TABLE event(seq INTEGER PRIMARY KEY, about BLOB NOT NULL, payload BLOB NOT NULL);
    """
  ]

  /// The version that this program reads and writes.
  static var version: Int { steps.count }

  /// Carries out the steps that the file has not had yet, together. `steps` are others in tests.
  static func migrate(_ database: Database, steps: [String] = steps) throws(DatabaseError) {
    let version = Int(try database.number("PRAGMA user_version") ?? 0)
    guard version < steps.count else { return }
    try database.run("BEGIN IMMEDIATE")
    for step in steps[version...] { try database.run(step) }
    try database.run(
      "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(steps.count); COMMIT")
  }

  /// The tables and indices of a database, as text that can be compared.
  static func tables(of database: Database) throws(DatabaseError) -> [String] {
    try database.texts("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY name, type")
  }

  /// Whether the tables are those that this version makes.
  static func isRight(_ database: Database) throws(DatabaseError) -> Bool {
    let model = try Database(path: ":memory:", isWritten: true)
    try migrate(model)
    return try tables(of: model) == tables(of: database)
  }
}
