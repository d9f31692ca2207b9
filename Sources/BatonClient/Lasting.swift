/// What a program can do with messages that the server keeps on disk (contract, section 15).
extension Client {
  /// Sends a durable message, and returns as soon as it is on disk. `durable` says more than true where it has to.
  ///
  /// A message that was not accepted yet when the connection is lost is sent again on the next one: it has a name of its
  /// own (`once`), and is the same message. Throws `BatonError`: `noAnswer` where it was not accepted in time.
  public nonisolated(nonsending) func sendDurable<Value: Encodable, Meta: Encodable>(
    _ topic: String, _ payload: Value? = Payload?.none, meta: Meta? = Payload?.none, chain: String = "main",
    mode: Mode = .first, key: String? = nil, timeout: Duration? = nil, trace: Bool = false, durable: Durability = true
  ) async throws -> AcceptedMessage {
    guard durable.isOn else {
      throw BatonError.refused(
        code: "bad_value", message: "durable: sendDurable is for durable messages; send is for others")
    }
    let line = try Client.sending(topic, payload, meta, chain, mode, key, timeout, trace, durable)
    let (id, acceptance) = try await session.hold(line, key: key)
    return AcceptedMessage(acceptance, once: durable.once, keeper(of: id))
  }

  private func keeper(of id: Int) -> ResultKeeper {
    let session = session
    return ResultKeeper(
      result: { try await session.result(of: id) }, forget: { Task { await session.letGo(id) } })
  }

  /// Begins a durable message of these members of `send`. Those that are begun one after the other come to the server in
  /// that order. The task waits until it is accepted.
  package nonisolated(nonsending) func beginDurable(
    _ members: [(String, Payload)], _ durable: Durability
  ) async throws -> Task<AcceptedMessage, any Error> {
    var sending = RequestLine("send", members)
    try durable.add(to: &sending)
    let key = members.first { $0.0 == "key" }?.1.json
    let (id, acceptance) = try await session.beginHolding(sending, key: key)
    let keeper = keeper(of: id)
    return Task { AcceptedMessage(try await acceptance.value, once: durable.once, keeper) }
  }

  /// Sends a durable message of a kind that has its own topic.
  public nonisolated(nonsending) func sendDurable<Kind: BatonMessage, Meta: Encodable>(
    _ message: Kind, meta: Meta? = Payload?.none, chain: String = "main", mode: Mode = .first, key: String? = nil,
    timeout: Duration? = nil, trace: Bool = false, durable: Durability = true
  ) async throws -> AcceptedMessage {
    try await sendDurable(
      Kind.topic, message, meta: meta, chain: chain, mode: mode, key: key, timeout: timeout, trace: trace,
      durable: durable)
  }

  /// The dead letters of a chain, the oldest first, without their payloads: all of them, or those behind the one of the
  /// name `after`. The server is asked for `limit` of them at a time, when they are awaited. What is not there when the loop
  /// begins is left out, so a loop that sends each of them again ends.
  public func deadLetters(
    of chain: String = "main", after: String? = nil, limit: Int? = nil
  ) -> AsyncThrowingStream<DeadLetter, any Error> {
    let session = session
    let letters = DeadLetters(of: chain, after: after, limit: limit) { try await session.request($0) }
    return AsyncThrowingStream { try await letters.next() }
  }

  /// One dead letter, with its payload.
  public nonisolated(nonsending) func deadLetter(_ name: String) async throws -> DeadLetter {
    let reply = try await session.request(Client.about(name, "dead"))
    return DeadLetter(reply.objects("dead").first ?? reply)
  }

  /// Makes a new message of a dead letter, with another payload if one is given. Returns the name of the new one.
  @discardableResult
  public nonisolated(nonsending) func resend<Value: Encodable>(
    _ name: String, payload: Value? = Payload?.none
  ) async throws -> String {
    var resending = Client.about(name, "resend")
    try resending.add("payload", value: payload)
    return try await session.request(resending).text("stored") ?? ""
  }

  /// Ends a dead letter.
  public nonisolated(nonsending) func discard(_ name: String) async throws {
    _ = try await session.request(Client.about(name, "discard"))
  }

  private static func about(_ name: String, _ op: String) -> RequestLine {
    RequestLine(op, [("stored", Payload(text: name))])
  }
}
