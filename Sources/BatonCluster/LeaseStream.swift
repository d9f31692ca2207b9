internal import Lease
internal import NATS

/// The lease's register, as a stream of NATS that keeps one message. It decides nothing about the lease.
final class LeaseStream {
  private let plan: ClusterPlan
  private let register: StreamRegister
  /// Whether it is made where it is not there.
  private let makes: Bool

  init(_ plan: ClusterPlan, over client: NATSClient, makes: Bool = true, tell: @escaping (String) -> Void) {
    (self.plan, self.makes) = (plan, makes)
    register = StreamRegister(
      plan.leaseStream, over: client,
      shape: {
        StreamShape.lease(of: plan, replicas: plan.replicas(at: client.info), wall: WallClock.milliseconds)
      }, tell: tell)
  }

  /// What it has.
  func look(_ seen: @escaping (Lease.Look) -> Void) {
    struct Question: Encodable { let last_by_subj: String }
    register.ask("MSG.GET", JSONText.write(Question(last_by_subj: plan.leaseSubject))) { [unowned self] answer in
      if let message = answer?.message {
        let record = message.data.flatMap { JSONText.read(LeaseRecord.self, Array($0)) }
        return seen(.found(message.seq, record?.isSound == true ? record : nil))
      }
      guard let fault = answer?.error else { return seen(.noAnswer) }
      if fault.isNoMessage { return lookWhetherEmpty(seen) }
      if fault.isNoStream, makes { return register.make { self.lookWhetherEmpty(seen) } }
      register.complain(fault, "reading the lease")
      seen(.noAnswer)
    }
  }

  /// Only an empty stream says that nobody leads: what has come meanwhile is read with the next look.
  private func lookWhetherEmpty(_ seen: @escaping (Lease.Look) -> Void) {
    register.ask("INFO") { answer in
      guard let state = answer?.state, state.messages == 0 else { return seen(.noAnswer) }
      seen(.nothing(last: state.lastSeq))
    }
  }

  /// Writes a record, if the register has this number. An answer may come late, or never.
  func write(_ record: LeaseRecord, expecting number: UInt64, _ written: @escaping (Lease.Written) -> Void) {
    register.write(
      JSONText.write(record), to: plan.leaseSubject, expecting: number, within: plan.terms.leaseMs
    ) { answer in
      switch answer {
      case .number(let seq): written(.number(seq))
      case .refused: written(.refused)
      case .unknown: break
      }
    }
  }

  /// Tells what of it is other than it should be.
  func check() { register.check() }
}
