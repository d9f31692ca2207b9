internal import Lease
internal import NATS

/// The lease's register, as a stream of NATS that keeps one message. It decides nothing about the lease.
final class LeaseStream {
  private let plan: ClusterPlan
  private unowned let client: NATSClient
  /// Whether it is made where it is not there.
  private let makes: Bool
  /// Something is wrong with it: told once for each text.
  private let tell: (String) -> Void

  /// Milliseconds that an answer may take.
  private static let patience: Int64 = 2000

  init(_ plan: ClusterPlan, over client: NATSClient, makes: Bool = true, tell: @escaping (String) -> Void) {
    (self.plan, self.client, self.makes, self.tell) = (plan, client, makes, tell)
  }

  private func ask(_ what: String, _ body: [UInt8], _ answered: @escaping (StreamAnswer?) -> Void) {
    client.ask(body, at: "$JS.API.STREAM.\(what).\(plan.leaseStream)", within: LeaseStream.patience) { message in
      // 503: nobody is there who keeps streams, or none of them leads.
      guard let message, message.status == nil else { return answered(nil) }
      answered(JSONText.read(StreamAnswer.self, message.payload))
    }
  }

  // MARK: Reading

  /// What it has.
  func look(_ seen: @escaping (Lease.Look) -> Void) {
    struct Question: Encodable { let last_by_subj: String }
    ask("MSG.GET", JSONText.write(Question(last_by_subj: plan.leaseSubject))) { [unowned self] answer in
      if let message = answer?.message {
        let record = message.data.flatMap { JSONText.read(LeaseRecord.self, Array($0)) }
        return seen(.found(message.seq, record?.isSound == true ? record : nil))
      }
      guard let fault = answer?.error else { return seen(.noAnswer) }
      if fault.isNoMessage { return lookWhetherEmpty(seen) }
      if fault.isNoStream, makes { return make { self.lookWhetherEmpty(seen) } }
      // A stream of three that has no leader just now gets one by itself.
      if !fault.passes { complain(fault, "reading the lease") }
      seen(.noAnswer)
    }
  }

  /// Only an empty stream says that nobody leads: what has come meanwhile is read with the next look.
  private func lookWhetherEmpty(_ seen: @escaping (Lease.Look) -> Void) {
    ask("INFO", []) { answer in
      guard let state = answer?.state, state.messages == 0 else { return seen(.noAnswer) }
      seen(.nothing(last: state.lastSeq))
    }
  }

  // MARK: Writing

  /// Writes a record, if the register has this number. An answer may come late, or never.
  func write(_ record: LeaseRecord, expecting number: UInt64, _ written: @escaping (Lease.Written) -> Void) {
    client.ask(
      JSONText.write(record), at: plan.leaseSubject,
      headers: "Nats-Expected-Stream: \(plan.leaseStream)\r\nNats-Expected-Last-Sequence: \(number)",
      within: plan.terms.leaseMs
    ) { message in
      guard let message else { return }
      // An error has a number beside it, which is none.
      guard message.status == nil, let answer = JSONText.read(StreamAnswer.self, message.payload), answer.error == nil,
        let seq = answer.seq
      else { return written(.refused) }
      written(.number(seq))
    }
  }

  // MARK: The stream itself

  private var shape: StreamShape {
    StreamShape.lease(
      of: plan, replicas: plan.replicas ?? (client.info?.cluster == nil ? 1 : 3), wall: WallClock.milliseconds)
  }

  private func make(_ then: @escaping () -> Void) {
    ask("CREATE", JSONText.write(shape)) { [unowned self] answer in
      if let fault = answer?.error, !fault.isThere { complain(fault, "making the stream \(plan.leaseStream)") }
      then()
    }
  }

  /// Tells what of it is other than it should be.
  func check() {
    ask("INFO", []) { [unowned self] answer in
      for difference in answer?.config?.differences(from: shape) ?? [] { tell(difference) }
    }
  }

  private func complain(_ fault: StreamAnswer.Fault, _ what: String) {
    tell("\(what): NATS says \(fault.description ?? "no") (\(fault.errCode ?? fault.code ?? 0))")
  }
}
