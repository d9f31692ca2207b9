/// What is damaged.
extension StoreFile {
  /// Reads all of the file, and tells what is damaged.
  package func check(_ tell: (String) throws -> Void) throws -> Counts {
    let slips = slips()
    for slip in slips { try tell(slip.words) }
    return try readRows(besides: slips) { item in
      if case .damaged(let what) = item { try tell(what) }
    }
  }

  /// What is wrong with the file as a whole, one line each: its tables, pages and facts. It is read for this, in one
  /// moment of it.
  func slips() -> [Slip] {
    var slips = [logSlip, firstSlip].compactMap { $0 }
    do throws(DatabaseError) {
      var words = try Schema.isRight(database) ? [] : ["its tables are not those of a store"]
      words += try damagedPages()
      words += try Facts(database).slips(in: database)
      words += try database.texts(
        """
        SELECT 'state ' || row || ': there is no such message' FROM state
        WHERE NOT EXISTS (SELECT 1 FROM message WHERE message.row = state.row) ORDER BY row LIMIT 20
        """)
      slips += words.map { Slip(words: $0) }
    } catch {
      slips.append(Slip(error))
    }
    return slips
  }

  private func damagedPages() throws(DatabaseError) -> [String] {
    let slips = try database.slips("integrity_check(20)")
    // A page that says that it has fewer rows has fewer, for all who read it.
    return slips.isEmpty ? [] : slips + ["pages are damaged: rows may be missing that nothing else tells of"]
  }

  /// Refuses a file of which a copy may lack rows.
  func expectSoundness(_ what: String) throws(StoreError) {
    guard let slip = slips().first else { return }
    if slip.isUnreadable { throw Opening.cannotRead(name, slip.words) }
    throw StoreError(
      "\(name) is damaged: \(slip.words); it is not \(what), for rows may be lost by that. baton store check says all that is "
        + "damaged, and baton store export saves what can be read")
  }
}

/// One thing that is wrong with a file as a whole.
struct Slip {
  let words: String
  /// Whether the disk does not give it: then it may be what it was.
  let isUnreadable: Bool

  init(words: String, isUnreadable: Bool = false) { (self.words, self.isUnreadable) = (words, isUnreadable) }

  init(_ error: DatabaseError) { self.init(words: error.description, isUnreadable: error.isUnreadable) }
}
