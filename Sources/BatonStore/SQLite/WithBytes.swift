/// The bytes of this array, while `body` runs.
func withBytes<Failure: Error>(
  _ one: [UInt8], _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
) throws(Failure) {
  try one.withUnsafeBufferPointer { (one) throws(Failure) in try body(UnsafeRawBufferPointer(one)) }
}

/// The bytes of these two, while `body` runs.
func withBytes<Failure: Error>(
  _ one: [UInt8], _ two: [UInt8], _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(Failure) -> Void
) throws(Failure) {
  try withBytes(one) { (one) throws(Failure) in
    try withBytes(two) { (two) throws(Failure) in try body(one, two) }
  }
}
