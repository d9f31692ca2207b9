import ArgumentParser

/// `baton dead`: durable messages that no try has brought to an end.
struct DeadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead",
    abstract: "See dead letters, send them again, or discard them.",
    discussion: """
      A durable message becomes a dead letter after its last attempt, or when it has expired. The server keeps it until \
      somebody sends it again or discards it.

      EXAMPLES:
        baton dead list --chain orders
        baton dead list --topic 'order.*' --cause timeout
        baton dead show k3f9m2q8w1x7c5z4-1042
        baton dead resend k3f9m2q8w1x7c5z4-1042
        baton dead resend --all --chain orders --cause timeout
        baton dead discard --all --topic 'test.>' --yes
      """,
    subcommands: [DeadList.self, DeadShow.self, DeadResend.self, DeadDiscard.self])
}
