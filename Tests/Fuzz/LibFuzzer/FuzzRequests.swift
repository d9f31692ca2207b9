import HTTPKit

/// What libFuzzer calls with each input it has made up: the bytes of a connection that speaks HTTP. However they are cut,
/// they mean the same, and a reader never keeps more than its head may have. `Scripts/fuzz` builds this.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  // Small bounds are met more often.
  for most in [48, 16384] {
    if let words = disagreement(over: input, everywhere: count < 24, { requestEvents(of: $0, maxHead: most) }) {
      fatalError(words)
    }
  }
  return 0
}
