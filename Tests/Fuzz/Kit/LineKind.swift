extension LineMembers {
  /// A `send` with `durable`.
  package static let durableSend = "send, durable"
  /// A `broadcast` with `retain`.
  package static let retainingBroadcast = "broadcast, retain"

  /// What the line asks for: its op, or one of the two above. Nil if the op cannot be read.
  package var kind: String? {
    switch op {
    case "send" where value(of: "durable") != nil: Self.durableSend
    case "broadcast" where value(of: "retain") != nil: Self.retainingBroadcast
    default: op
    }
  }
}
