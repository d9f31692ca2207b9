import DoorKit

@testable import BatonCore

/// A router with named peers and a clock that is moved by hand. What a peer sends goes in, what it is told comes out.
/// It drives the core through `Driver`.
///
/// Nothing is read from an outbox until a test asks for it by `hear`, so that slow readers cost nothing to play.
final class Stage {
  let driver: Driver
  private var peers: [String: Int] = [:]

  /// `entries` are those of `peers`, each with what it may do; without any, everybody may do everything. `signIn` and
  /// `reload` know them by name.
  init(
    _ settings: Settings = Settings(), entries: KeyValuePairs<String, [String]> = [:], store: MemoryStore? = nil
  ) {
    let access = entries.isEmpty ? nil : AccessRules(forTests: entries.map { AccessRules.Peer($0.key, may: $0.value) })
    driver = Driver(settings: settings, access: access, store: store, at: Instant(microseconds: 1_000_000))
  }

  /// Settings with some of them changed.
  static func settings(_ change: (inout Settings) -> Void) -> Settings {
    var settings = Settings()
    change(&settings)
    return settings
  }

  // MARK: Peers

  func open(_ names: String...) {
    for name in names { peers[name] = driver.open() }
  }

  func open(_ name: String, _ facts: PeerFacts) { peers[name] = driver.open(facts) }

  /// A connection that says who it is: the entry of its own name, or another one.
  func signIn(_ name: String, as entry: String? = nil) {
    open(name)
    say(name, #"{"op":"hello","token":"\#(TestToken.text(of: entry ?? name))"}"#)
    precondition(hear(name).ops == ["welcome"], "\(name) is not let in")
  }

  /// The configuration file is read anew. An entry may do something else from now on.
  func reload(_ entry: String, may rights: [String]) {
    let others = (driver.access?.peers ?? []).filter { $0.name != entry }
    driver.access = AccessRules(forTests: others + [AccessRules.Peer(entry, may: rights)])
    driver.reload()
    driver.wake()
  }

  /// The configuration file is read anew, with these settings.
  func reload(_ settings: Settings) {
    driver.settings = settings
    driver.reload()
    driver.wake()
  }

  private func connection(_ name: String) -> Int {
    guard let connection = peers[name] else { preconditionFailure("nobody is called \(name)") }
    return connection
  }

  func id(_ name: String) -> ConnectionID { driver.id(of: connection(name)) }

  /// Lines, each ended by LF, in one piece.
  func say(_ name: String, _ lines: String...) {
    give(name, Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  func give(_ name: String, _ bytes: some Collection<UInt8>) { driver.receive(bytes, from: connection(name)) }

  func end(_ name: String) { driver.end(connection(name)) }

  func close(_ names: String...) {
    for name in names {
      driver.close(connection(name))
      peers[name] = nil
    }
  }

  func closeAll() {
    for name in peers.keys.sorted() { close(name) }
  }

  /// Takes everything that is unsent to the peer. All of it must be whole lines.
  @discardableResult
  func hear(_ name: String) -> [String] {
    let text = String(decoding: driver.takeAll(of: connection(name)), as: UTF8.self)
    precondition(text.isEmpty || text.hasSuffix("\n"), "a line without its end: \(text)")
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Takes bytes that are unsent to the peer, at most `most` of them.
  @discardableResult
  func take(_ name: String, atMost most: Int = .max) -> [UInt8] {
    most == .max ? driver.takeAll(of: connection(name)) : driver.take(atMost: most, of: connection(name))
  }

  func unsent(_ name: String) -> Int { driver.unsentCount(of: connection(name)) }
  func wish(_ name: String) -> Router.Wish { driver.wish(of: connection(name)) }

  /// The peers that the router has named as changed since the last call.
  func takeChanged() -> Set<String> { Set(takeChangedInOrder()) }

  func takeChangedInOrder() -> [String] {
    var names: [String] = []
    while let connection = driver.nextChanged() {
      if let name = peers.first(where: { $0.value == connection })?.key { names.append(name) }
    }
    return names
  }

  // MARK: Time

  var now: Instant { driver.now }

  /// Moves the clock, and wakes the router whenever it wants to be woken.
  func advance(milliseconds: Int) { advance(to: now.advanced(milliseconds: milliseconds)) }

  /// Moves the clock to an instant.
  func advance(to target: Instant) {
    driver.advance(to: target) {}
    driver.wake()
  }

  func drain() { driver.drain() }

  // MARK: What is left

  /// Removes what stays when all peers have gone: mounts, and places that are kept.
  func takeOutWhatStays() {
    open("sweeper")
    say("sweeper", #"{"op":"inspect"}"#)
    for chain in hear("sweeper").joined().split(separator: #"{"chain":""#).dropFirst() {
      let name = chain.prefix { $0 != "\"" }
      for link in chain.matches(of: /"(mount|handler)":"([^"]+)"/) {
        let order = link.1 == "mount" ? #""unmount","on""# : #""remove","handler""#
        say("sweeper", #"{"op":\#(order):"\#(link.2)","chain":"\#(name)"}"#)
      }
    }
    close("sweeper")
  }

  /// What is in the router's tables, without zeroes.
  var census: [String: Int] { driver.census }
}

extension [String] {
  /// The codes of the errors among these lines.
  var codes: [String] { compactMap { $0.member("code") } }
  /// The ops of these lines.
  var ops: [String] { compactMap { $0.member("op") } }
}

extension String {
  /// The text of a line's member, found by its spelling: the router writes without spaces. This is enough for members
  /// outside the payload.
  func member(_ name: String) -> String? {
    guard let start = firstRange(of: "\"\(name)\":")?.upperBound else { return nil }
    let rest = self[start...]
    if rest.first == "\"" { return String(rest.dropFirst().prefix { $0 != "\"" }) }
    return String(rest.prefix { $0 != "," && $0 != "}" })
  }
}

extension String {
  /// Calls `body` with the text's bytes and a line feed behind them, as lines are in a read buffer.
  func withLine<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try (Array(utf8) + [0x0A]).withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
  }
}
