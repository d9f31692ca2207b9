internal import UV

/// How a connection is made, set up, lost and made again.
extension Session {
  /// What has to be answered before the connection is open.
  enum SetupStep {
    case hello
    case insert(Int)
    case replace(Int)
    case subscribe
  }

  /// Asks for a connection.
  func connect() {
    guard case .apart = phase else { return }
    number += 1
    lastFault = nil
    do throws(UVError) {
      socket = try Socket(to: endpoint, on: thread.loop, number: number, for: self)
    } catch {
      lost(error.description, on: number)
    }
  }

  /// The connection stands: everything is put in, all at once, as the server answers in order.
  func connected(_ number: Int) {
    guard number == self.number, case .apart = phase else { return }
    phase = .settingUp
    lastHeard = .now
    var hello = RequestLine("hello")
    hello.add("name", text: plan.name)
    hello.add("heartbeat_ms", milliseconds: plan.heartbeat)
    begin(.hello, hello)
    for index in places.indices where !places[index].isGone {
      begin(.insert(index), places[index].link.insertion(rank: places[index].rank))
    }
    for (_, subscription) in subscriptions.sorted(by: { $0.key < $1.key }) {
      begin(.subscribe, Session.subscribe(subscription.patterns))
    }
    watch(number)
  }

  private func begin(_ step: SetupStep, _ line: RequestLine) {
    lastID += 1
    steps[lastID] = step
    send(line, id: lastID)
  }

  /// The server has answered one step.
  func settle(_ step: SetupStep, _ line: ServerLine) {
    let code = line.op == "error" ? line.text("code") ?? "" : nil
    switch step {
    case .insert(let index) where code == "name_taken" && places[index].hasServed:
      // The old connection still stands, or another has come meanwhile: the place is taken over.
      begin(.replace(index), places[index].link.replacement)
    case .replace(let index) where code == "no_such_handler":
      begin(.insert(index), places[index].link.insertion(rank: places[index].rank))
    case .insert(let index), .replace(let index):
      if code != nil { return refused(line.refusal) }
      places[index].rank = line.payload("rank")
      places[index].hasServed = true
    case .hello, .subscribe:
      if code != nil { return refused(line.refusal) }
      if let longest = line.integer("max_line") { maxLine = longest }
    }
    guard steps.isEmpty else { return }
    phase = .open
    hasBeenOpen = true
    backoff.succeeded()
    plan.report("connected to \(endpoint)")
    changed()
  }

  /// The server does not take what this client is: the first time its maker is told; later it is tried again.
  private func refused(_ error: BatonError) {
    if hasBeenOpen { lost(error.description, on: number) } else { finish(error) }
  }

  /// The connection is gone: whoever waits for an answer on it is told, and the next one is made.
  func lost(_ why: String, on number: Int) {
    guard number == self.number else { return }
    if case .closed = phase { return }
    let fault = lastFault
    let why = fault?.description ?? why
    disconnect(telling: .connectionLost(why))
    if !hasBeenOpen, !isPatient { return finish(fault ?? .unreachable(why)) }
    if isDraining { return finish(.closed) }
    phase = .apart
    let delay = backoff.next()
    plan.report("not connected to \(endpoint): \(why); trying again in \(delay.milliseconds) ms")
    Task {
      try? await Task.sleep(for: delay)
      connect()
    }
    changed()
  }

  /// Ends the connection and everything that belongs to it alone.
  func disconnect(telling error: BatonError) {
    number += 1
    socket?.close()
    socket = nil
    steps = [:]
    let lostRequests = requests
    requests = [:]
    for (_, request) in lostRequests { request.resume(throwing: error) }
    for (_, task) in offers { task.cancel() }
    offers = [:]
  }

  /// Asks a server that is silent for long whether it is there, and gives it up after as long again.
  private func watch(_ number: Int) {
    let heartbeat = plan.heartbeat
    Task {
      while number == self.number {
        try? await Task.sleep(for: heartbeat)
        let silence = ContinuousClock.now - lastHeard
        guard number == self.number, silence >= heartbeat * 2 else { continue }
        if silence >= heartbeat * 4 { return lost("the server has been silent for \(silence)", on: number) }
        send(RequestLine("ping"))
      }
    }
  }

  // MARK: The end

  /// Ends the client; whoever waits for something is told `error`.
  func finish(_ error: BatonError) {
    if case .closed = phase { return }
    disconnect(telling: error)
    phase = .closed(error)
    for (_, subscription) in subscriptions { subscription.stream.finish() }
    subscriptions = [:]
    for signal in signals { signal.close() }
    signals = []
    changed()
  }

  func close() { finish(.closed) }

  /// Waits until the client has ended. Throws where it was not by this program's own wish.
  func untilClosed() async throws {
    while true {
      if case .closed(let error) = phase {
        if error == .closed { return }
        throw error
      }
      await change()
    }
  }
}
