/// How many messages led to what a task does now (contract, section 4, "Messages that set off messages"), and in which trace it is.
/// It holds for a handler and for a subscriber, and for the tasks that they begin.
package enum Within {
  /// What a message says that is sent now.
  @TaskLocal package static var number = 0

  /// The most that a message may say. Any server refuses it.
  static let most = 1000

  /// Lets `body` send messages to which one more has led, in the same trace.
  static func next<Value>(
    _ within: Int, _ traceparent: String?, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
  ) async rethrows -> Value {
    try await $number.withValue(min(within + 1, most)) {
      try await Traceparent.$current.withValue(traceparent, operation: body)
    }
  }
}
