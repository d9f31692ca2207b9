public import Lease
internal import NATS
public import UV

/// Asks NATS about a cluster, from outside of its nodes: which answer, and what the lease says. It also answers where nobody
/// leads.
public struct ClusterInquiry {
  /// What was found.
  public struct Answer {
    /// What the nodes say that answered, by their names.
    public var nodes: [NodeWord] = []
    /// The lease; nil if there is none, or it could not be read.
    public var lease: LeaseRecord?
    /// The version of NATS; nil if it was not reached.
    public var engineVersion: String?
    /// Why NATS was not reached, or what it refuses; nil if all is right.
    public var trouble: String?
  }

  /// Asks, and waits so many milliseconds at most for NATS, and as long again for the nodes. Throws if the system has no
  /// descriptors left.
  public static func ask(_ plan: ClusterPlan, within milliseconds: Int64) throws(UVError) -> Answer {
    let loop = try Loop()
    var answer = Answer()
    var (client, register): (NATSClient?, LeaseStream?)
    let timer = try Timer(on: loop) { loop.stop() }
    client = try NATSClient(plan.nats, inbox: plan.inbox, subjects: [], first: 0, on: loop) { news in
      switch news {
      case .connected(let info, _):
        (answer.engineVersion, answer.trouble) = (info.version, nil)
        register?.look { if case .found(_, let record) = $0 { answer.lease = record } }
        client?.askAll([], at: plan.nodesSubject, within: milliseconds / 2) { message in
          guard let message else { return loop.stop() }
          if let word = NodeWord(message.payload) { answer.nodes.append(word) }
        }
      case .away(let why, let place): if answer.engineVersion == nil { answer.trouble = "\(place): \(why)" }
      case .refused(let what): answer.trouble = "NATS refuses: \(what)"
      case .message: break
      }
    }
    if let client { register = LeaseStream(plan, over: client, makes: false) { answer.trouble = $0 } }
    timer.set(microseconds: MonotonicClock.microseconds + milliseconds * 1000)
    loop.run()
    client?.close()
    timer.close()
    loop.run()
    answer.nodes.sort { $0.node < $1.node }
    return answer
  }
}
