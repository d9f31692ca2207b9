/// What subscribers get of a broadcast. The bytes belong to the line being read or to a walk's message.
struct Event {
  /// The topic, decoded.
  let topic: UnsafeRawBufferPointer
  /// Passed on as they are; empty where there are none.
  let payload: UnsafeRawBufferPointer
  let meta: UnsafeRawBufferPointer
  /// Who broadcasts, as a JSON string.
  let from: UnsafeRawBufferPointer
}
