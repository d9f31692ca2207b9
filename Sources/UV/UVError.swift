internal import CUV

/// An error of the system: libuv's code, its name and its text.
public struct UVError: Error, Equatable, Sendable, CustomStringConvertible {
  /// libuv's number, negative; on Unix the negated `errno`.
  let code: Int32

  /// The code's name, for instance `EADDRINUSE`.
  public var name: String { String(cString: uv_err_name(code)) }
  /// The text, for instance `address already in use`.
  public var text: String { String(cString: uv_strerror(code)) }
  /// Text and name, for a log or a person.
  public var description: String { "\(text) (\(name))" }

  init(_ error: uv_errno_t) { code = Int32(error.rawValue) }
  init(code: Int32) { self.code = code }

  /// Throws if libuv's `result` is an error.
  static func check(_ result: Int32) throws(UVError) {
    if result < 0 { throw UVError(code: result) }
  }
}

extension UVError {
  /// The address is in use.
  public static let addressInUse = UVError(UV_EADDRINUSE)
  /// The machine has no such address.
  public static let addressNotAvailable = UVError(UV_EADDRNOTAVAIL)
  /// Not allowed, or (for a Unix socket) there is no such directory.
  public static let accessDenied = UVError(UV_EACCES)
  /// No such file.
  public static let noSuchFile = UVError(UV_ENOENT)
  /// No server listens there.
  public static let connectionRefused = UVError(UV_ECONNREFUSED)
  /// No thread is left.
  public static let noThread = UVError(UV_EAGAIN)
  /// The name is too long for a socket's path.
  public static let nameTooLong = UVError(UV_ENAMETOOLONG)

  /// True if the process or the machine has a shortage, so that it is of no use to try again at once.
  public var isShortage: Bool { isDescriptorShortage || [UVError(UV_ENOMEM), UVError(UV_ENOBUFS)].contains(self) }

  /// True if accepting failed for this connection, and may succeed for the next one at once.
  public var isNewcomersLoss: Bool {
    let losses = [
      UV_ECONNABORTED, UV_ECONNRESET, UV_EINTR, UV_EPROTO, UV_EPERM, UV_ENETDOWN, UV_ENETUNREACH, UV_EHOSTUNREACH,
    ]
    return losses.contains { UVError($0) == self }
  }

  /// True if there are no file descriptors left.
  public var isDescriptorShortage: Bool { [UVError(UV_EMFILE), UVError(UV_ENFILE)].contains(self) }
}
