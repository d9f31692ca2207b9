import BatonLasting
import DoorKit
import Foundation
import WorldKit

@testable import BatonCore

/// Something that must not be, in a world with a store.
struct StoredViolation: Error { let what: String }

/// A server with a store, through many lives: peers publish events and values, listeners come and go, commits succeed and
/// fail, the server ends in order or not, and sometimes an older copy of the store is put in its place.
final class StoredWorld {
  var luck: Generator
  let plant: StorePlant?
  var store = PretendStore()
  private var copies: [(store: DiskImage, values: StoredValues)] = []
  private(set) var settings = Settings()
  private(set) var driver: Driver
  /// Wall time at the start of the driver's clock, in milliseconds.
  private var wallAtStart: Int64 = 1_000_000
  /// How many events were published.
  var published = 0
  var values = StoredValues()
  private var latestValue = 0
  private(set) var readers: [StoredReader] = []
  /// The connections for events and for values: the latter waits for the disk.
  private(set) var publisher = 0
  private(set) var sender = 0
  var senderText: [UInt8] = []
  /// Whether numbers are never short.
  private(set) var isExact = true
  private(set) var lives = 0
  /// Until when the disk is left alone.
  private var restsUntil = Instant(microseconds: 0)
  /// How many changes that wait are told to be on disk: a planted fault.
  private var toldEarly = 0

  static let topics = ["a", "b", "c.x", "c.y"]
  static let patterns = [["a"], ["c.*"], [">"], ["a", "c.x"], ["c.>", "a", "b"]]

  init(seed: UInt64, plant: StorePlant? = nil) throws {
    luck = Generator(seed: seed)
    self.plant = plant
    store.plant = plant
    settings.keptTopics = [
      KeptTopics(pattern: Array("a".utf8), keep: 1 + luck.below(6)),
      KeptTopics(pattern: Array("c.>".utf8), keep: 1 + luck.below(40), keepMilliseconds: luck.chance(30) ? 60 : nil),
      KeptTopics(pattern: Array("b".utf8), keep: 1 + luck.below(40)),
    ]
    if luck.chance(40) { settings.maxHistoryBytes = 3000 + luck.below(20_000) }
    if luck.chance(40) { settings.eventsUnsentBytes = 200 + luck.below(3000) }
    if luck.chance(40) { settings.maxOpenMessages = 1 + luck.below(8) }
    settings.pieces.size = 1 + luck.below(40)
    let isShort = luck.chance(30)
    settings.pieces.reserved = isShort ? 4 + luck.below(20) : 1000
    isExact = !isShort
    driver = Driver(settings: settings)
    for _ in 0..<4 { readers.append(StoredReader(StoredWorld.patterns[luck.below(StoredWorld.patterns.count)])) }
    try start()
  }

  // MARK: Lives

  /// A start: what the disk has is restored, and the first numbers are reserved.
  private func start() throws {
    lives += 1
    (restsUntil, toldEarly) = (Instant(microseconds: 0), 0)
    store.open()
    settings.epoch = store.disk.epoch
    driver = Driver(settings: settings)
    let disk = store.disk
    driver.router.beginRestore()
    for value in disk.values.values.sorted(by: { $0.change < $1.change }) {
      driver.router.restore(value: value.publication, change: value.change, at: driver.now, wall: wall)
    }
    for event in disk.events.values.sorted(by: { $0.seq < $1.seq }) {
      driver.router.restore(event: event, at: driver.now, wall: wall)
    }
    driver.router.endRestore(after: plant == .seqTwice ? disk.events.keys.max() ?? 0 : disk.top)
    takeWrites()
    commit(store.pending.count)
    publisher = driver.open()
    sender = driver.open()
    senderText = []
    for reader in readers { reader.connection = nil }
    try values.check(after: try readValues(), goingOnFrom: latestValue)
  }

  private var wall: Int64 { wallAtStart + driver.now.microseconds / 1000 }

  /// The server is gone, at once.
  func crash() throws {
    wallAtStart = wall + Int64(luck.below(50))
    store.pending = []
    latestValue = max(latestValue, values.latest)
    if luck.chance(25), !copies.isEmpty { (store.disk, values) = copies[luck.below(copies.count)] }
    try start()
  }

  func copy() { copies.append((store.disk, values)) }

  /// The server ends in order.
  func end() throws {
    driver.drain()
    driver.router.endStoring()
    for _ in 0..<1000 where !driver.router.hasEndedStoring {
      takeWrites()
      commit(store.pending.count)
      driver.pass(milliseconds: 100)
      driver.wake()
    }
    guard driver.router.hasEndedStoring else { throw StoredViolation(what: "the store never got the end") }
    try hearReplies()
    try compareMemory()
    try crash()
  }

  /// All that is in memory is on disk, and nothing else.
  func compareMemory() throws {
    var (seqs, topics): ([UInt64], [[UInt8]]) = ([], [])
    var (seq, change) = (0, 0)
    while let event = driver.router.keptEvents.first(after: seq) {
      seq = driver.router.keptEvents[event].seq
      seqs.append(UInt64(seq))
    }
    while let value = driver.router.retained.first(after: change) {
      change = driver.router.retained[value].change
      let topic = Array(driver.router.retained[value].topic.bytes)
      topics.append(topic)
      let onDisk = store.disk.values[topic]
      if onDisk?.change != UInt64(change)
        || onDisk?.publication.payload != Array(driver.router.retained[value].payload.bytes)
      {
        throw StoredViolation(what: "the value of \(topic) on disk is another one")
      }
    }
    if seqs != store.disk.events.keys.sorted() { throw StoredViolation(what: "other events on disk: \(seqs)") }
    if topics.count != store.disk.values.count { throw StoredViolation(what: "other values on disk") }
  }

  // MARK: The disk

  func takeWrites() {
    guard driver.now >= restsUntil else { return }
    while let (change, _) = driver.router.nextPublication(at: driver.now, wall: wall) { store.pending.append(change) }
  }

  func commit(_ count: Int) {
    guard count > 0, !store.pending.isEmpty else { return }
    if plant == .okEarly {
      driver.router.settlePublications(stored: store.pending.count - toldEarly, lost: 0, at: driver.now)
      driver.wake()
      toldEarly = store.pending.count
    }
    let count = min(count, store.pending.count)
    store.commit(count)
    tell(count, isStored: true)
  }

  func fail(_ count: Int) {
    guard count > 0, !store.pending.isEmpty else { return }
    store.fail(count)
    tell(count, isStored: plant == .failureHidden || plant == .failedForgotten && !luck.chance(50))
  }

  /// The router hears what has become of the oldest so many changes, unless it has heard that already. After a failure the
  /// disk is left alone for a second.
  private func tell(_ count: Int, isStored: Bool) {
    restsUntil = isStored ? Instant(microseconds: 0) : driver.now.advanced(milliseconds: 1000)
    let untold = count - min(count, toldEarly)
    toldEarly -= count - untold
    driver.router.isStoreFailing = !isStored
    driver.router.settlePublications(stored: isStored ? untold : 0, lost: isStored ? 0 : untold, at: driver.now)
    driver.wake()
  }
}
