/// Offers and the handlers' tasks.
extension Session {
  /// Hands an offer or a notice to its handler.
  func offered(_ line: ServerLine) {
    let number = number
    let id = line.integer("id")
    let message = Message(line) { [weak self] in
      if let id { await self?.working(id, on: number) }
    }
    guard let place = places.first(where: { $0.link.name == message.handler && $0.link.chain == message.chain }) else {
      if let id { answer(id, .failed("no such handler here"), on: number) }
      return
    }
    if id != nil, isDraining, place.link.isKept { return }
    let conclusion = place.body(message)
    let task = Task { [weak self] in
      let verdict: Verdict
      do { verdict = try await conclusion() } catch { verdict = .failed("\(error)") }
      if let id { await self?.answer(id, verdict, on: number) }
    }
    if let id { offers[id] = task }
  }

  private func working(_ id: Int, on number: Int) {
    guard number == self.number else { return }
    var line = RequestLine("working")
    line.add("id", id)
    send(line)
  }

  /// Sends the verdict, also one that comes too late: the server keeps count of offers that nobody answers.
  private func answer(_ id: Int, _ verdict: Verdict, on number: Int) {
    guard number == self.number else { return }
    offers[id] = nil
    do {
      let line = try verdict.line(for: id)
      // A line that is too long would end the connection, with all that is open on it.
      guard line.count <= maxLine else {
        return answer(id, .failed("the answer has \(line.count) bytes; the server takes \(maxLine)"), on: number)
      }
      guard isReadable(line) else { return answer(id, .failed("the answer is \(Session.tooDeep)"), on: number) }
      socket?.send(line)
    } catch {
      return answer(id, .failed("\(error)"), on: number)
    }
    if isDraining { changed() }
  }

  /// A link has another rank, or is no longer this connection's.
  func placeChanged(_ line: ServerLine) {
    let (chain, handler) = (line.text("chain"), line.text("handler"))
    guard let index = places.firstIndex(where: { $0.link.chain == chain && $0.link.name == handler }) else { return }
    if line.op == "moved" {
      places[index].rank = line.payload("rank")
      return
    }
    places[index].isGone = true
    plan.report("\(handler ?? "") in \(chain ?? "") was \(line.op) by \(line.text("by") ?? "somebody")")
    if isServing, places.allSatisfy(\.isGone), subscriptions.isEmpty { Task { await drain() } }
  }
}
