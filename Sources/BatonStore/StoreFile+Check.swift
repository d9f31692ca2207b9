/// What is damaged.
extension StoreFile {
  /// Reads all of the file, and tells what is damaged.
  package func check(_ tell: (String) throws -> Void) throws -> Counts {
    let slips = slips()
    for slip in slips { try tell(slip) }
    var counts = try readRows(isWhole: slips.isEmpty) { item in
      if case .damaged(let what) = item { try tell(what) }
    }
    counts.damaged += slips.count
    return counts
  }

  /// What is wrong with the file as a whole, one line each: its tables, pages and facts. It is read for this, in one
  /// moment of it.
  func slips() -> [String] {
    var slips = [hasDamagedLog ? StoreLog.slip(of: name) : nil, firstSlip].compactMap { $0 }
    do throws(DatabaseError) {
      slips += try Schema.isRight(database) ? [] : ["its tables are not those of a store"]
      slips += try damagedPages()
      slips += try Facts(database).slips(in: database)
      return slips
        + (try database.texts(
          """
          SELECT 'state ' || row || ': there is no such message' FROM state
          WHERE NOT EXISTS (SELECT 1 FROM message WHERE message.row = state.row) ORDER BY row LIMIT 20
          """))
    } catch {
      return slips + [error.description]
    }
  }

  private func damagedPages() throws(DatabaseError) -> [String] {
    let slips = try database.slips("integrity_check(20)")
    // A page that says that it has fewer rows has fewer, for all who read it.
    return slips.isEmpty ? [] : slips + ["pages are damaged: rows may be missing that nothing else tells of"]
  }

  /// Refuses a file of which a copy may lack rows.
  func expectSoundness(_ what: String) throws(StoreError) {
    guard let slip = slips().first else { return }
    throw StoreError(
      "\(name) is damaged: \(slip); it is not \(what), for rows may be lost by that. baton store check says all that is "
        + "damaged, and baton store export saves what can be read")
  }
}
