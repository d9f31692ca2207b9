import BatonClient

/// A message that is in a trace beyond the server, as `$baton.trace` tells it, and its spans as OTLP writes them in JSON.
struct TracedWalk: Decodable {
  private let traceparent: String
  private let parent: String?
  private let beganMicroseconds: Int
  private let totalMicroseconds: Int
  private let walk: Int
  private let chain: String
  private let topic: String
  private let from: String
  private let status: String
  private let by: String?
  private let hops: Int
  private let keyWaitMicroseconds: Int?
  private let again: Bool?
  private let steps: [Step]

  private struct Step: Decodable {
    let hop: Hop
    let when: String?
    let span: String?
    let offeredMicroseconds: Int?

    enum CodingKeys: String, CodingKey {
      case when, span
      case offeredMicroseconds = "offered_us"
    }

    init(from decoder: any Decoder) throws {
      hop = try Hop(from: decoder)
      let members = try decoder.container(keyedBy: CodingKeys.self)
      when = try members.decodeIfPresent(String.self, forKey: .when)
      span = try members.decodeIfPresent(String.self, forKey: .span)
      offeredMicroseconds = try members.decodeIfPresent(Int.self, forKey: .offeredMicroseconds)
    }
  }

  enum CodingKeys: String, CodingKey {
    case traceparent, parent, walk, chain, topic, from, status, by, hops, again
    case beganMicroseconds = "began_us"
    case totalMicroseconds = "total_us"
    case keyWaitMicroseconds = "key_wait_us"
    case steps = "trace"
  }

  /// One for the message, and one for each offer.
  var spans: [[UInt8]] {
    let parts = traceparent.split(separator: "-")
    guard parts.count == 4 else { return [] }
    let (trace, own) = (String(parts[1]), String(parts[2]))
    var message = OtlpSpan(
      trace, own, under: parent, named: "send \(chain)", .producer,
      from: beganMicroseconds, for: totalMicroseconds)
    message.add("messaging.system", "baton")
    message.add("messaging.operation.name", "send")
    message.add("messaging.operation.type", "send")
    message.add("messaging.destination.name", topic)
    message.add("error.type", failure)
    message.add("baton.chain", chain)
    message.add("baton.from", from)
    message.add("baton.status", status)
    message.add("baton.by", by)
    message.add("baton.hops", hops)
    message.add("baton.walk", walk)
    message.add("baton.key_wait_us", keyWaitMicroseconds)
    message.add("baton.again", again)
    return [message.json(isError: failure != nil)] + steps.compactMap { span(of: $0, trace, under: own) }
  }

  /// Why it failed, as its last step says it; nil if it did not.
  private var failure: String? {
    guard status == "failed" || status == "timeout" else { return nil }
    return status == "timeout" ? status : steps.last { $0.hop.isFailure }?.hop.outcome ?? status
  }

  private func span(of step: Step, _ trace: String, under message: String) -> [UInt8]? {
    guard let id = step.span, let offered = step.offeredMicroseconds, let took = step.hop.serviceMicroseconds else {
      return nil
    }
    let hop = step.hop
    var offer = OtlpSpan(
      trace, id, under: message, named: "offer \(hop.chain)/\(hop.name)", .client,
      from: beganMicroseconds &+ offered, for: took)
    offer.add("messaging.system", "baton")
    offer.add("messaging.operation.name", "offer")
    offer.add("messaging.destination.name", topic)
    offer.add("error.type", hop.isFailure ? hop.outcome : nil)
    offer.add("baton.chain", hop.chain)
    offer.add("baton.handler", hop.name)
    offer.add("baton.outcome", hop.outcome)
    offer.add("baton.wait_us", hop.waitMicroseconds)
    offer.add("baton.rewrote", hop.rewrote)
    offer.add("baton.again", hop.again)
    offer.add("baton.together", hop.together)
    offer.add("baton.when", step.when)
    return offer.json(isError: hop.isFailure)
  }
}
