import BatonCore

/// Kept from call to call; libFuzzer calls from one thread only.
nonisolated(unsafe) private var twins = ScannerTwins()

/// What libFuzzer calls with each input it has made up. `Scripts/fuzz` builds this together with the kit beside it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLine(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let line = Array(UnsafeBufferPointer(start: bytes, count: count))
  if let disagreement = twins.disagreement(over: line) { fatalError(disagreement) }
  return 0
}
