internal import CUV

/// The search for the addresses of a name, while the loop goes on.
public final class AddressSearch {
  private var found: ((Result<[Address], UVError>) -> Void)?
  /// Nil at the end.
  private var request: UnsafeMutablePointer<uv_getaddrinfo_t>?

  /// Begins the search. `found` gets all addresses of `host` with `port`, in the order in which the system wants them to be
  /// tried, or the error; never within this call. The loop does not end before that.
  public init(
    host: String, port: UInt16, on loop: Loop, found: @escaping (Result<[Address], UVError>) -> Void
  ) throws(UVError) {
    self.found = found
    let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
    request.initialize(to: uv_getaddrinfo_t())
    request.pointee.data = Unmanaged.passRetained(self).toOpaque()
    var hints = Address.wanted
    // The first one makes libuv's threads.
    let result = SignalMask.closed { uv_getaddrinfo(loop.uv, request, searchDone, host, String(port), &hints) }
    guard result == 0 else {
      Unmanaged.passUnretained(self).release()
      request.deallocate()
      throw UVError(code: result)
    }
    self.request = request
  }

  /// Nobody is told what is found.
  public func cancel() {
    found = nil
    guard let request else { return }
    _ = uv_cancel(UnsafeMutableRawPointer(request).assumingMemoryBound(to: uv_req_t.self))
  }

  fileprivate func finish(_ status: Int32, _ first: UnsafeMutablePointer<addrinfo>?) {
    request?.deallocate()
    request = nil
    defer { found = nil }
    guard status == 0 else { return found?(.failure(UVError(code: status))) ?? () }
    found?(Result { () throws(UVError) in try Address.list(from: first) })
  }
}

private let searchDone: uv_getaddrinfo_cb = { request, status, first in
  defer { uv_freeaddrinfo(first) }
  guard let data = request?.pointee.data else { return }
  Unmanaged<AddressSearch>.fromOpaque(data).takeRetainedValue().finish(status, first)
}
