/// A record that a server goes on with: the folder is its own, and the last file was looked at.
package struct RecordStart: Sendable {
  let place: RecordPlace
  let n: Int
  let previous: [UInt8]
  /// The file before; nil for the first start of all.
  let before: String?
  let isClean: Bool
  /// The bytes behind the last line.
  let torn: Int
  let isAnew: Bool

  /// Takes the folder of a record, and looks at its last file. Throws if it does not verify; with `isAnew`, the record goes
  /// on behind its last good line.
  package init(_ folder: RecordFolder, isAnew: Bool) throws(RecordError) {
    place = try RecordPlace(folder)
    guard place.lastNumber > 0 else {
      (n, previous, before, isClean, torn) = (0, Digests.zeros, nil, true, 0)
      self.isAnew = false
      return
    }
    var number = place.lastNumber
    var last = try LastFile(folder, number)
    let name = RecordFolder.name(number)
    let complaint = last.complaint
    if let complaint, !isAnew {
      throw RecordError(
        "\(complaint); see what baton record verify \(folder.path) says, and begin behind the last good line with "
          + "--record-begin-anew")
    }
    // A server that was killed may have left a file without a line.
    while last.n == 0, number > 1, RecordFolder.facts(folder.chain(number - 1)) != nil {
      number -= 1
      last = try LastFile(folder, number)
      if let complaint = last.complaint, !isAnew { throw RecordError(complaint) }
    }
    before = name
    (n, previous, torn) = (last.n, last.previous, last.torn)
    isClean = number == place.lastNumber && last.hasStopped && last.torn == 0
    self.isAnew = complaint != nil
  }
}

/// What is known of the last file of a record.
private struct LastFile {
  var n = 0
  var previous = Digests.zeros
  var hasStopped = false
  var torn = 0
  var complaint: String?

  init(_ folder: RecordFolder, _ number: Int) throws(RecordError) {
    let path = folder.chain(number)
    guard let file = try LineFile(path) else { throw RecordError("\(path) is gone") }
    while let line = try file.next({ RecordLine($0, isChain: true) }) {
      guard let line, n == 0 || line.n == n + 1 && line.previous.utf8.elementsEqual(previous) else {
        complaint = "\(path) is damaged: line \(file.number) does not follow the line before"
        return
      }
      hasStopped = line.kind == "stop" || hasStopped && line.kind == "head"
      (n, previous) = (line.n, line.hash)
    }
    torn = file.rest
  }
}
