package import BatonLasting

/// The door to the record: whoever has one calls these, once in each turn.
extension Router {
  /// What the record has not been told yet, in order.
  package mutating func fetchRecordItems(at now: Instant) -> [RecordItem] { recorder.fetch(at: now) }

  package var hasRecordItems: Bool { mutating get { recorder.hasItems } }

  /// So many more of the ends that were fetched are written.
  package mutating func recordHasWritten(_ count: Int, at now: Instant) {
    guard count > 0 else { return }
    beginOwnSteps()
    if confirmEnds(count), settleRecord(at: now) { beginJob(.settleRecord) }
    _ = endOwnStep(at: now)
  }

  /// Why lines cannot be written, as the system says it; nil: they are written again.
  package mutating func recordFails(_ why: String?, at now: Instant) {
    recorder.fails(why, at: now)
    judgeRecord()
  }

  /// How the record is on its disk.
  package mutating func showRecord(_ sight: RecordSight) { recorder.show(sight) }

  /// A head was written: an object of JSON.
  package mutating func tellHead(_ payload: String, at now: Instant) {
    beginOwnSteps()
    announceHead(payload)
    _ = endOwnStep(at: now)
  }

  /// The same rule, or another one that a reload brings. Each file that is read anew has the next number.
  mutating func takeNextRecordRule(_ rule: RecordRule?) {
    recorder.noteFile()
    takeRecordRule(rule)
  }

  /// Ends that nobody was told, because the server ended before their lines were written.
  package var untoldEnds: Int { mutating get { recorder.untold } }
  /// Ends that were not recorded, because too many lines waited.
  package var missedEnds: Int { mutating get { recorder.missedInTotal } }
  package var recordSight: RecordSight { mutating get { recorder.sight } }
  package var isRecordFailing: Bool { mutating get { recorder.isFailing } }
  package var hasRecord: Bool { mutating get { recorder.isOn } }
}
