internal import BatonLasting
internal import BatonLog
internal import NATS

/// The log's stream at NATS. It decides nothing about the log.
final class LogStream {
  private let plan: ClusterPlan
  private let register: StreamRegister

  /// Milliseconds in which messages that are read have come.
  private static let patience: Int64 = 5000
  /// What is read at once, in messages and bytes.
  private static let mostMessages = 1000
  private static let mostBytes = 1 << 20

  init(_ plan: ClusterPlan, bytes: Int, over client: NATSClient, tell: @escaping (String) -> Void) {
    self.plan = plan
    register = StreamRegister(
      plan.logStream, over: client,
      shape: {
        StreamShape.log(
          of: plan, bytes: bytes, replicas: plan.replicas(at: client.info), wall: WallClock.milliseconds)
      }, tell: tell)
  }

  /// Which messages it has. Where it is not there, it is made.
  func look(_ seen: @escaping (LogWriter.Look) -> Void) {
    register.ask("INFO") { [unowned self] answer in
      if let state = answer?.state { return seen(.end(first: state.firstSeq, last: state.lastSeq, nil)) }
      guard let fault = answer?.error else { return seen(.noAnswer) }
      guard fault.isNoStream else {
        register.complain(fault, "reading the log")
        return seen(.noAnswer)
      }
      register.make { seen(.gone) }
    }
  }

  /// Which messages it has, and what the last one is.
  func lookAtEnd(_ seen: @escaping (LogWriter.Look) -> Void) {
    look { [unowned self] look in
      guard case .end(let first, let last, _) = look, first <= last else { return seen(look) }
      read(from: last, most: 1) { messages in
        guard let message = messages?.first, message.sequence == last else { return seen(.noAnswer) }
        seen(.end(first: first, last: last, message.bytes))
      }
    }
  }

  /// Some messages from this number on; nil: that is not known.
  func read(from number: UInt64, _ read: @escaping ([NodeLog.Message]?) -> Void) {
    self.read(from: number, most: LogStream.mostMessages, read)
  }

  private func read(from number: UInt64, most: Int, _ read: @escaping ([NodeLog.Message]?) -> Void) {
    struct Question: Encodable { let seq: UInt64, batch: Int, max_bytes: Int }
    let question = Question(seq: number, batch: most, max_bytes: LogStream.mostBytes)
    var messages: [NodeLog.Message] = []
    register.client.askAll(
      JSONText.write(question), at: "$JS.API.DIRECT.GET.\(plan.logStream)", within: LogStream.patience
    ) { message in
      if let message, message.status == nil {
        guard let sequence = message.sequence, sequence <= LogPosition.mostSequence else { return }
        return messages.append(NodeLog.Message(sequence: sequence, bytes: message.payload))
      }
      // 204 is the end, and 404 says that there is none. What has come before a silence counts.
      read(message == nil && messages.isEmpty ? nil : messages)
    }
  }

  /// Writes a message, if the last one has this number. The answer may come late.
  func publish(_ bytes: [UInt8], expecting number: UInt64, _ answered: @escaping (LogWriter.Answer) -> Void) {
    register.write(bytes, to: plan.logSubject, expecting: number, within: 60_000) { answer in
      switch answer {
      case .number(let seq): answered(.number(seq))
      case .refused: answered(.refused)
      case .unknown: answered(.none)
      }
    }
  }

  /// Tells what of it is other than it should be.
  func check() { register.check() }
}
