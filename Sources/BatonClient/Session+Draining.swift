internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// How a program that serves leaves without failing anybody.
extension Session {
  /// Takes the links out, answers what is open, waits for what was asked, and closes.
  ///
  /// A link whose place is kept (`hold`, `isRequired`) stays: taken out, it would let pass what it is there to stop.
  /// What it is offered from now on is not begun, and waits on the server for whoever takes the place next.
  func drain() async {
    if isDraining {
      try? await untilClosed()
      return
    }
    isDraining = true
    while case .settingUp = phase { await change() }
    for index in places.indices where !places[index].isGone && !places[index].link.isKept {
      guard case .open = phase else { break }
      var line = RequestLine("remove")
      line.add("chain", text: places[index].link.chain)
      line.add("handler", text: places[index].link.name)
      _ = try? await requestNow(line)
      places[index].isGone = true
    }
    while case .open = phase, !(offers.isEmpty && requests.isEmpty) { await change() }
    if case .open = phase {
      // What was answered last still has to be written; the socket ends itself then.
      socket?.end()
      socket = nil
    }
    finish(.closed)
  }

  /// Lets SIGTERM and SIGINT drain this client; a second signal closes it.
  func drainOnSignals() {
    isServing = true
    for number in [SIGTERM, SIGINT] {
      let signal = try? Signal(number, on: thread.loop) { [weak self] in
        guard let self else { return }
        Task { await self.leave() }
      }
      if let signal { signals.append(signal) }
    }
  }

  private func leave() async {
    if isDraining { return close() }
    await drain()
  }
}
