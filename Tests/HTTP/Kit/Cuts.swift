/// The pieces of bytes that are cut at these places, which rise.
public func cut(_ bytes: [UInt8], at places: some Sequence<Int>) -> [[UInt8]] {
  var pieces: [[UInt8]] = []
  var start = 0
  for place in places {
    pieces.append(Array(bytes[start..<place]))
    start = place
  }
  return pieces + [Array(bytes[start...])]
}

/// What differs between the events of whole bytes and of the same bytes cut otherwise; nil if nothing does.
///
/// - Parameters:
///   - events: reads pieces.
///   - everywhere: whether they are also cut in two at each byte; otherwise at a few.
public func disagreement(over bytes: [UInt8], everywhere: Bool, _ events: ([[UInt8]]) -> [String]) -> String? {
  let whole = events([bytes])
  let step = everywhere ? 1 : max(1, bytes.count / 4)
  for place in stride(from: 0, through: bytes.count, by: step) {
    let parts = events(cut(bytes, at: [place]))
    if parts != whole { return "cut at \(place): \(parts), and whole: \(whole)" }
  }
  for size in [1, 2, 3, 7] where bytes.count > size {
    let parts = events(cut(bytes, at: stride(from: size, to: bytes.count, by: size)))
    if parts != whole { return "cut into pieces of \(size): \(parts), and whole: \(whole)" }
  }
  return nil
}
