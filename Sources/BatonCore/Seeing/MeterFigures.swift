/// The figures of the whole server that `/metrics` tells (Docs/http.md, section 13). Sizes are in bytes.
package struct ServerFigures {
  package var messages, missed, connections, subscriptions, links, openMessages, unsentBytes, memoryBytes: Int
  /// Since the start of the router's clock.
  package var uptimeMicroseconds: Int
  /// Until the certificate ends, below 0 after that; nil without one.
  package var certificateSeconds: Int?
}

/// What was counted under one name of one chain. The bytes are valid while they are told, no longer.
package struct MeterFigures {
  /// The names; `handler` is empty for what is counted together.
  package let chain, handler: UnsafeRawBufferPointer
  /// How often each of `outcomes` was counted.
  package let outcomes: [UInt64]
  /// How many offers were answered in each bucket of time: at most 100 µs, at most four times as much, and so on, up to
  /// 104.8576 s; and longer.
  package let times: [UInt64]
  /// All these times together.
  package let microseconds: UInt64
  /// How often the link was asked in doubt, because of its condition.
  package let doubtful: UInt64

  /// The outcomes as `inspect` spells them, in their order.
  package static let outcomes = Tally.allCases.map { "\($0.spelling)" }
  /// The end of each bucket but the last, in microseconds.
  package static let bounds = (0..<Meters.buckets - 1).map { 100 << (2 * $0) }
}

/// What a link is doing. The bytes are valid while they are told, no longer.
package struct LinkFigures {
  package let chain, handler: UnsafeRawBufferPointer
  /// Whether it is told by its own name. If not, all such links of the chain are told together.
  package let isAlone: Bool
  /// The number of its meters: the same for all links that are told together.
  package let meters: UInt32
  package let open, waiting, connections: Int
  /// How long the message that came first has been there; 0 if there is none.
  package let oldestMicroseconds: Int
  /// As in `inspect`.
  package let state: StaticString
}

/// How far a report of one family of figures has come.
package struct FigurePlace {
  var next: UInt32 = 0
  /// What got its name later is not told: it might be there twice.
  let latest: Int
}
