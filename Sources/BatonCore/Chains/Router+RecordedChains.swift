/// Which messages are recorded.
extension Router {
  /// Whether messages of a topic are recorded in a chain. A chain remembers what was found for it.
  mutating func isRecorded(_ topic: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> Bool {
    guard recorder.isOn else { return false }
    if chains[chain].recorded.revision != recorder.revision {
      chains[chain].recorded = (recorder.revision, recorder.names(chains[chain].name.bytes))
    }
    return chains[chain].recorded.isOn && recorder.takes(topic)
  }

  /// Whether the message of the request is recorded, in whatever chain it names.
  mutating func isRequestRecorded() -> Bool {
    guard recorder.isOn else { return false }
    let name = chainOfRequest()
    defer { extendLifetime(name) }
    return recorder.names(name.bytes) && recorder.takes(request.text(.topic))
  }

  /// The name of the chain to which the message of the request goes.
  mutating func chainOfRequest() -> OwnedBytes {
    request.has(.via) ? OwnedBytes(copying: request.text(.via)) : request.chainName()
  }
}
