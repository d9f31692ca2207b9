internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// How a program serves until it is told to end.
extension Session {
  /// Serves until a signal comes, the client has ended, or it has nothing left to serve. The first signal drains, the
  /// second one closes. Throws where the server refuses something.
  func serve() async throws -> RunEnding {
    let signals = [SIGTERM, SIGINT].compactMap { number in
      try? Signal(number, on: thread.loop) { [weak self] in
        guard let self else { return }
        Task { await self.interrupt() }
      }
    }
    defer { for signal in signals { signal.close() } }
    // Signals may have ended it before it was open, or before this heard of it.
    do { try await open(isPatient: true) } catch BatonError.closed {}
    await changes.until { isOver || isIdle }
    if !isOver { await drain() }
    try await untilClosed()
    return RunEnding(open: leftOpen, isAtOnce: isAtOnce)
  }

  private func interrupt() async {
    guard links.isLeaving else {
      tellWhatIsOpen()
      return await drain()
    }
    if !isOver { isAtOnce = true }
    close()
  }
}

extension Session {
  /// Whoever has told a program to end, and sees it go on, learns what it waits for.
  private func tellWhatIsOpen() {
    guard let open = offers?.count, open > 0 else { return }
    let what = open == 1 ? "1 open offer has its answer" : "\(open) open offers have their answers"
    plan.report("ends when \(what); a second signal ends it at once, and the server takes them for lost")
  }
}

/// How a program came to its end that was told to end.
package struct RunEnding: Sendable {
  /// How many offers it has left without a verdict.
  package let open: Int
  /// Whether it was a second signal.
  package let isAtOnce: Bool
}

/// What a program does with links while it is connected.
extension Session {
  /// The links that this client has.
  var servedLinks: [ServedLink] {
    links.left.map { ServedLink(chain: $0.link.chain, handler: $0.link.name, keeper: keeper) }
  }

  private var keeper: LinkKeeper {
    LinkKeeper(
      rank: { await self.rank(of: $0) }, remove: { try await self.remove($0) },
      update: { try await self.update($0, $1) }, move: { try await self.move($0, to: $1) })
  }

  private func rank(of name: LinkName) -> Payload? { links.find(name.chain, name.handler)?.rank }

  func addLink(_ link: Link, _ body: @escaping HandlerBody) async throws -> ServedLink {
    try await links.add(link, body)
    return ServedLink(chain: link.chain, handler: link.name, keeper: keeper)
  }

  private func remove(_ name: LinkName) async throws {
    guard let place = links.find(name.chain, name.handler) else { return }
    await changes.until { !isSettingUp }
    try await links.remove(place)
  }

  private func update(_ name: LinkName, _ settings: LinkChanges) async throws {
    _ = try present(name)
    await changes.until { !isSettingUp }
    try await links.update(try present(name), settings)
  }

  private func move(_ name: LinkName, to place: Link.Place) async throws {
    _ = try present(name)
    await changes.until { !isSettingUp }
    try await links.move(try present(name), to: place)
  }

  private func present(_ name: LinkName) throws(BatonError) -> Links.Place {
    if let place = links.find(name.chain, name.handler), !place.isGone { return place }
    throw .refused(
      code: "no_such_handler", message: "this client has the handler \(name.chain)/\(name.handler) no more")
  }
}
