internal import BatonCore
internal import Logging
internal import UV

/// Writes into the log what went wrong with peers that could not speak yet. Each kind has one line a second at most, and
/// what strangers do hides nothing of the operator's proxies.
final class PeerFailureLog {
  /// What is told apart.
  enum Kind: CaseIterable {
    /// A peer's encryption.
    case encryption
    /// The encryption of a proxy that the operator has named.
    case encryptionOfProxy
    /// Who comes to a place for proxies, and is none of them.
    case stranger
    /// What a proxy that the operator has named says of its client.
    case proxy
  }

  private unowned let server: Server
  private var failures: [Kind: PeerFailures] = [:]
  /// For what is counted until the second is over.
  private var timer: Timer?

  init(of server: Server) throws(UVError) {
    self.server = server
    timer = try Timer(on: server.loop) { [unowned self] in write() }
  }

  /// Notes a failure. `peer` is where the peer is, as the log names it; `address` the same, nil if the system does not know.
  func note(_ kind: Kind, _ reason: String, _ peer: String, of address: UV.Address?) {
    let failure = PeerFailures.Failure(reason: reason, peer: peer)
    failures[kind, default: PeerFailures()].count(failure, of: address?.group ?? 0, at: server.now)
    write()
  }

  /// Writes what is due. `isLast`: nothing comes after it.
  func write(isLast: Bool = false) {
    let now = server.now
    for kind in Kind.allCases {
      if let line = failures[kind]?.takeLine(at: now, isLast: isLast) { write(line, of: kind) }
    }
    guard let timer, !isLast else { return }
    if let due = failures.values.compactMap(\.dueAt).min() {
      timer.set(microseconds: due.microseconds)
    } else {
      timer.unset()
    }
  }

  func close() {
    timer?.close()
    timer = nil
  }

  private func write(_ line: PeerFailures.Line, of kind: Kind) {
    switch line {
    case .one(let failure):
      server.logger.warning(
        "\(PeerFailureLog.words(of: kind))", metadata: ["reason": "\(failure.reason)", "peer": "\(failure.peer)"])
    case .many(let count, let first, let within):
      server.logger.warning(
        "\(PeerFailureLog.words(of: kind, count))",
        metadata: [
          "first": "\(first)", "within_ms": .stringConvertible(within), "more": .stringConvertible(count),
        ])
    }
  }

  private static func words(of kind: Kind) -> String {
    switch kind {
    case .encryption: "a connection's encryption failed"
    case .encryptionOfProxy: "the encryption of a proxy's connection failed"
    case .stranger: "a connection to a place for proxies was refused"
    case .proxy: "what a proxy should say of its client was refused"
    }
  }

  /// For several since the last line of this kind.
  private static func words(of kind: Kind, _ more: Int) -> String {
    switch kind {
    case .encryption: "the encryption of \(more) more connections failed"
    case .encryptionOfProxy: "the encryption of \(more) more connections of proxies failed"
    case .stranger: "\(more) more connections to places for proxies were refused"
    case .proxy: "\(more) more times, what a proxy should say of its client was refused"
    }
  }
}
