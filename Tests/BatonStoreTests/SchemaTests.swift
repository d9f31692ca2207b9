import Testing

@testable import BatonStore

/// How an older store becomes a newer one.
@Suite struct SchemaTests {
  private func database(_ place: Place, version: Int) throws -> Database {
    try sql(place.file, "PRAGMA user_version = 0")
    let database = try Database(path: place.file, isWritten: true)
    try Schema.migrate(database, steps: Array(Schema.steps.prefix(version)))
    return database
  }

  @Test(arguments: Array(0...Schema.version)) func eachVersionBecomesThisOne(version: Int) throws {
    let place = try Place()
    let database = try database(place, version: version)
    try Schema.migrate(database)
    #expect(try Schema.isRight(database))
    #expect(try database.number("PRAGMA user_version") == Int64(Schema.version))
    database.close()
    #expect(place.refusal() == nil)
  }

  @Test func furtherStepsAreCarriedOutOnceAndTogether() throws {
    let place = try Place()
    let database = try database(place, version: 1)
    try database.run("INSERT INTO event VALUES(7, x'01', x'02')")
    let steps = Schema.steps + ["ALTER TABLE event ADD COLUMN more", "UPDATE event SET more = seq + 1"]
    for _ in 0..<2 { try Schema.migrate(database, steps: steps) }
    #expect(try database.number("SELECT more FROM event") == 8)
    #expect(try database.number("PRAGMA user_version") == 3)
  }

  @Test func aStepThatFailsLeavesTheStoreAsItWas() throws {
    let place = try Place()
    let database = try database(place, version: 1)
    let steps = Schema.steps + ["CREATE TABLE more(one)", "INSERT INTO nothing VALUES(1)"]
    #expect(throws: DatabaseError.self) { try Schema.migrate(database, steps: steps) }
    database.close()
    #expect(try sql(place.file, "SELECT count(*) FROM sqlite_schema WHERE name = 'more'") == "0")
    #expect(place.refusal() == nil)
  }
}
