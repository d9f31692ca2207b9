internal import NATS

/// A stream of NATS that nodes share: how it is asked, made and written. It decides nothing about what stands in it.
final class StreamRegister {
  let shape: () -> StreamShape
  let name: String
  let client: NATSClient
  /// Something is wrong with it: told once for each text.
  private let tell: (String) -> Void

  /// Milliseconds that an answer may take.
  private static let patience: Int64 = 2000

  init(_ name: String, over client: NATSClient, shape: @escaping () -> StreamShape, tell: @escaping (String) -> Void) {
    (self.name, self.client, self.shape, self.tell) = (name, client, shape, tell)
  }

  /// Asks the server about it; nil: nobody answers.
  func ask(_ what: String, _ body: [UInt8] = [], _ answered: @escaping (StreamAnswer?) -> Void) {
    client.ask(body, at: "$JS.API.STREAM.\(what).\(name)", within: StreamRegister.patience) { message in
      // 503: nobody is there who keeps streams, or none of them leads.
      guard let message, message.status == nil else { return answered(nil) }
      answered(StreamAnswer.read(message.payload))
    }
  }

  /// What came of a write.
  enum Written {
    case number(UInt64)
    case refused
    /// Nobody has answered.
    case unknown
  }

  /// Writes a message, if its last one has this number. The answer may come late.
  func write(
    _ bytes: [UInt8], to subject: String, expecting number: UInt64, within milliseconds: Int64,
    _ written: @escaping (Written) -> Void
  ) {
    client.ask(
      bytes, at: subject,
      headers: "Nats-Expected-Stream: \(name)\r\nNats-Expected-Last-Sequence: \(number)", within: milliseconds
    ) { message in
      guard let message else { return written(.unknown) }
      // An error has a number beside it, which is none.
      guard message.status == nil, let answer = StreamAnswer.read(message.payload), answer.error == nil,
        let seq = answer.seq
      else { return written(.refused) }
      written(.number(seq))
    }
  }

  /// Makes it; nothing if it is there.
  func make(_ then: @escaping () -> Void) {
    ask("CREATE", JSONText.write(shape())) { [unowned self] answer in
      if let fault = answer?.error, !fault.isThere { complain(fault, "making the stream \(name)") }
      then()
    }
  }

  /// Tells what of it is other than it should be.
  func check() {
    ask("INFO") { [unowned self] answer in
      for difference in answer?.config?.differences(from: shape()) ?? [] { tell(difference) }
    }
  }

  func complain(_ fault: StreamAnswer.Fault, _ what: String) {
    // A stream of three that has no leader just now gets one by itself.
    if fault.passes { return }
    let next = fault.lacksRoom ? "; let NATS keep more (max_file_store), or lower log_bytes" : ""
    tell("\(what): NATS says \(fault.description ?? "no") (\(fault.errCode ?? fault.code ?? 0))\(next)")
  }
}
