import HTTPKit

/// What libFuzzer calls with each input it has made up: the bytes of a WebSocket's client. However they are cut, and
/// however little room there is for text, they mean the same. `Scripts/fuzz` builds this.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  if let words = disagreement(over: input, everywhere: count < 24, { frameEvents(of: $0, room: 4096) }) {
    fatalError(words)
  }
  let whole = frameEvents(of: [input], room: 4096)
  for room in [1, 3, 9] {
    let events = frameEvents(of: [input], room: room)
    if events != whole { fatalError("room for \(room): \(events), and for all: \(whole)") }
  }
  return 0
}
