internal import UV

/// An attempt to reach the place of a server. Where its name has several addresses, the next one is tried 250 ms after the
/// one before, while that says nothing, or as soon as that fails. It lives on the thread of the loop.
final class Attempt: StreamOwner {
  /// Microseconds from one address to the next.
  private static let stagger: Int64 = 250_000

  private let loop: Loop
  private let tell: (Result<UV.Stream, UVError>) -> Void
  private var search: AddressSearch?
  private var nextTry: Timer?
  /// The addresses that were not tried yet.
  private var left: ArraySlice<Address> = []
  /// Those that are tried.
  private var streams: [UV.Stream] = []
  private var isOver = false

  /// Begins it. `tell` gets the first stream that is connected, whose owner is nobody from then on; or the last error, when all
  /// addresses have failed. It is not called within this call.
  init(to socket: UV.Endpoint, on loop: Loop, tell: @escaping (Result<UV.Stream, UVError>) -> Void) throws(UVError) {
    self.loop = loop
    self.tell = tell
    switch socket {
    case .unix(let path): try open(.unix) { $0.connect(toPath: path) }
    case .tcp(let host, let port):
      if let address = try? Address(numericHost: host, port: port) {
        try open(address)
      } else {
        search = try AddressSearch(host: host, port: port, on: loop) { [weak self] in self?.take($0) }
      }
    }
  }

  /// Tries these addresses.
  init(to addresses: [Address], on loop: Loop, tell: @escaping (Result<UV.Stream, UVError>) -> Void) throws(UVError) {
    self.loop = loop
    self.tell = tell
    left = addresses[...]
    try tryNext()
  }

  /// Closes all that was opened. Nobody is told.
  func close() {
    isOver = true
    search?.cancel()
    nextTry?.close()
    for stream in streams { stream.close() }
    streams = []
  }

  private func take(_ found: Result<[Address], UVError>) {
    search = nil
    do throws(UVError) {
      left = try found.get()[...]
      try tryNext()
    } catch {
      end(.failure(error))
    }
  }

  /// Tries the next address, and those after it as long as the system refuses them at once. Throws if there is none left that
  /// could be tried, and none that is.
  private func tryNext() throws(UVError) {
    nextTry?.unset()
    while let address = left.popFirst() {
      do throws(UVError) {
        try open(address)
        return try setNextTry()
      } catch {
        if left.isEmpty, streams.isEmpty { throw error }
      }
    }
  }

  private func setNextTry() throws(UVError) {
    guard !left.isEmpty else { return }
    if nextTry == nil { nextTry = try Timer(on: loop) { [weak self] in self?.goOn() } }
    nextTry?.set(microseconds: MonotonicClock.microseconds + Attempt.stagger)
  }

  private func goOn() {
    do throws(UVError) { try tryNext() } catch { end(.failure(error)) }
  }

  private func open(_ address: Address) throws(UVError) {
    try open(.tcp) { (stream) throws(UVError) in try stream.connect(to: address) }
  }

  private func open(_ kind: UV.Stream.Kind, _ connect: (UV.Stream) throws(UVError) -> Void) throws(UVError) {
    let stream = try UV.Stream(kind, on: loop)
    do throws(UVError) { try connect(stream) } catch {
      stream.close()
      throw error
    }
    stream.owner = self
    streams.append(stream)
  }

  private func end(_ result: Result<UV.Stream, UVError>) {
    guard !isOver else { return }
    close()
    tell(result)
  }

  // MARK: StreamOwner

  func connected(_ stream: UV.Stream) {
    streams.removeAll { $0 === stream }
    stream.owner = nil
    end(.success(stream))
  }

  func failed(_ stream: UV.Stream, _ error: UVError) {
    stream.close()
    streams.removeAll { $0 === stream }
    if !left.isEmpty { return goOn() }
    if streams.isEmpty { end(.failure(error)) }
  }

  func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) {}
  func ended(_ stream: UV.Stream) {}
  func wrote(_ count: Int, to stream: UV.Stream) {}
  func closed(_ stream: UV.Stream) {}
}
