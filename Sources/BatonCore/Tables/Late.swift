/// A part of an element that most elements of their table do not need: it gets memory when something is written into it.
/// Until then it reads as a part that was just made.
///
/// It takes a pointer where there is none. An idle connection had 200 bytes more with its parts inside of it.
struct Late<Part: LatePart & ~Copyable>: ~Copyable {
  private var place: UnsafeMutablePointer<Part>?

  deinit {
    place?.deinitialize(count: 1)
    place?.deallocate()
  }

  /// Where the part is, for reading, which makes nothing. The element that has the part hands it on as its own member, by
  /// addresses: with coroutines in their place, a compiler of Swift 6.3 does not come to an end in debug builds.
  @inline(__always)
  var address: UnsafePointer<Part> { UnsafePointer(place ?? Part.untouched.place) }

  /// Where it is, for writing.
  @inline(__always)
  mutating func made() -> UnsafeMutablePointer<Part> { place ?? make() }

  @inline(never)
  private mutating func make() -> UnsafeMutablePointer<Part> {
    let made = UnsafeMutablePointer<Part>.allocate(capacity: 1)
    made.initialize(to: Part())
    place = made
    return made
  }
}

/// What can be a late part.
protocol LatePart: ~Copyable {
  init()
  /// What is read where nothing was written.
  static var untouched: Untouched<Self> { get }
}

/// A part that is read where there is none, and never written.
struct Untouched<Part: ~Copyable>: @unchecked Sendable {
  fileprivate let place: UnsafeMutablePointer<Part>

  init(_ part: consuming Part) {
    place = .allocate(capacity: 1)
    place.initialize(to: part)
  }
}
