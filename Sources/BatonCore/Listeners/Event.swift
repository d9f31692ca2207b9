/// The parts of a broadcast that subscribers get. The bytes belong to the request, to a walk's message or to what is kept;
/// an event does not outlive them.
struct Event {
  /// The topic, decoded.
  let topic: UnsafeRawBufferPointer
  /// The payload, passed on as it is; empty if there is none.
  let payload: UnsafeRawBufferPointer
  /// The meta, passed on as it is; empty if there is none.
  let meta: UnsafeRawBufferPointer
  /// The name of the broadcaster, as a JSON string.
  let from: UnsafeRawBufferPointer
  /// How many messages led to it; 0 for what is given later.
  var within = 0
}
