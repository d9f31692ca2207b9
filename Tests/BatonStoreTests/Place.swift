import BatonLasting
import BatonStore
import Foundation

/// A folder for the files of one test, which goes with it.
final class Place {
  let folder: String
  var file: String { folder + "/store" }

  init() throws {
    folder = NSTemporaryDirectory() + "baton-store-\(UInt64.random(in: .min ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func open() throws -> Store { try Store(path: file) }

  /// What opening says when it refuses.
  func refusal() -> String? {
    do throws(StoreError) {
      try Store(path: file).close()
      return nil
    } catch {
      return error.description
    }
  }

  /// Whether a tool finds nothing wrong with a copy of the file and its log.
  func isSound() -> Bool {
    let copy = folder + "/looked-at"
    for end in ["", "-wal"] {
      try? FileManager.default.removeItem(atPath: copy + end)
      try? FileManager.default.copyItem(atPath: file + end, toPath: copy + end)
    }
    guard let looked = try? StoreFile(path: copy), let counts = try? looked.check({ _ in }) else { return false }
    return counts.damaged == 0
  }

  /// Changes bytes of the file, where these stand for the first time.
  func damage(_ bytes: [UInt8]) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: file))
    guard let found = data.range(of: Data(bytes)) else { throw Missing() }
    data[found.lowerBound] ^= 1
    try data.write(to: URL(fileURLWithPath: file))
  }

  /// Fills the head of a page with bytes that it cannot have.
  func overwrite(page: Int) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: file))
    for byte in 0..<64 { data[(page - 1) * 4096 + 8 + byte] = 0xff }
    try data.write(to: URL(fileURLWithPath: file))
  }

  struct Missing: Error {}
}

/// The words of an error.
func slip(_ open: () throws -> Void) -> String? {
  do { try open() } catch { return "\(error)" }
  return nil
}

/// What tests write.
enum Made {
  static let start = StoredID.Start(random: 7, 8)

  static func message(
    _ row: UInt64, chain: String = "orders", identity: String = "web", isUnderWay: Bool = false, resent: StoredID? = nil
  ) -> StoredMessage {
    var state = TryState()
    (state.place, state.isUnderWay) = (row, isUnderWay)
    return StoredMessage(
      id: StoredID(start: start, count: row), identity: Array(identity.utf8), chain: Array(chain.utf8),
      rules: TryRules(tries: 3, retryMilliseconds: 4, timeoutMilliseconds: 5, expiresMilliseconds: 60_000),
      acceptedAt: 1_700_000_000_000, resent: resent, byteCount: 9, state: state)
  }

  static func content(_ payload: String = "17", key: String? = nil) -> DurableContent {
    DurableContent(
      head: Array(#"{"topic":"paid"}"#.utf8), from: Array(##""#5""##.utf8), key: key.map { Array($0.utf8) },
      payload: Array(payload.utf8))
  }

  static func once(_ row: UInt64, name: UInt64 = 1) -> StoredOnce {
    StoredOnce(
      name: Digest(high: 0, low: name), content: Digest(high: 3, low: 4), id: StoredID(start: start, count: row),
      identity: Digest(high: 5, low: 6), rememberedMilliseconds: 5000)
  }

  static func kept(_ topic: String, _ payload: String = "on", seq: UInt64 = 0) -> Publication {
    Publication(
      topic: Array(topic.utf8), payload: Array(payload.utf8), meta: [1], from: [2], identity: [3], seq: seq, at: 5)
  }
}

extension Store {
  /// Carries changes out in one commit, and says whether they are on disk.
  func write(_ changes: StoreChange..., generation: UInt64 = 1) -> Bool {
    write(all: changes, generation: generation)
  }

  private func write(all changes: [StoreChange], generation: UInt64 = 1) -> Bool {
    var least: UInt64 = 0
    let jobs = changes.enumerated().map { (index, change) in
      StoreJob.write(StoreWrite(generation: generation, number: UInt64(index) + 1, change: change))
    }
    guard let last = carryOut(jobs, from: &least).last, case .storedUpTo(let number) = last else { return false }
    return number == jobs.count
  }

  func keep(_ changes: PublicationChange...) -> Bool { write(all: changes.map { .stays($0) }) }

  func ask(_ job: StoreJob) -> StoreAnswer? {
    var least: UInt64 = 0
    return carryOut([job], from: &least).first
  }

  func load(_ row: UInt64) -> Loaded? {
    guard case .loaded(row, let found) = ask(.load(row)) else { return nil }
    return found
  }

  func recall(_ row: UInt64, start: StoredID.Start = Made.start) -> [UInt8]? {
    let id = StoredID(start: start, count: row)
    guard case .recalled(5, id, let result) = ask(.recall(ticket: 5, id, once: Digest(high: 0, low: 1))) else {
      return nil
    }
    return result
  }

  /// What a start would find.
  func items(wall: Int64 = 0) throws -> [StoredItem] {
    var items: [StoredItem] = []
    try restore(wall: wall) { items.append($0) }
    return items
  }

  func rows(wall: Int64 = 0) throws -> [UInt64] {
    try items(wall: wall).compactMap { if case .message(let message, _, _) = $0 { message.row } else { nil } }
  }

  func names(wall: Int64 = 0) throws -> [StoredOnce] {
    try items(wall: wall).compactMap { if case .once(let once) = $0 { once } else { nil } }
  }
}
