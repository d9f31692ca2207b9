internal import CUV

/// What the system answered when something could not be done: libuv's code, its name and its words.
public struct UVError: Error, Equatable, Sendable, CustomStringConvertible {
  /// libuv's number, negative; on Unix the negated `errno`.
  let code: Int32

  /// The code's name, for instance `EADDRINUSE`.
  public var name: String { String(cString: uv_err_name(code)) }
  /// What it means, for instance `address already in use`.
  public var text: String { String(cString: uv_strerror(code)) }
  /// Text and name, for a log or a person.
  public var description: String { "\(text) (\(name))" }

  init(_ error: uv_errno_t) { code = Int32(error.rawValue) }
  init(code: Int32) { self.code = code }

  /// Throws where libuv's `result` is an error.
  static func check(_ result: Int32) throws(UVError) {
    if result < 0 { throw UVError(code: result) }
  }
}

extension UVError {
  /// Somebody else has this address.
  public static let addressInUse = UVError(UV_EADDRINUSE)
  /// The machine has no such address.
  public static let addressNotAvailable = UVError(UV_EADDRNOTAVAIL)
  /// Not allowed, or (for a Unix socket) its directory is not there.
  public static let accessDenied = UVError(UV_EACCES)
  /// No such file.
  public static let noSuchFile = UVError(UV_ENOENT)
  /// Nobody listens there.
  public static let connectionRefused = UVError(UV_ECONNREFUSED)
  /// The name is too long for a socket's path.
  public static let nameTooLong = UVError(UV_ENAMETOOLONG)

  /// True where the process or the machine has run out of something, so that trying again at once is of no use.
  public var isShortage: Bool { isDescriptorShortage || [UVError(UV_ENOMEM), UVError(UV_ENOBUFS)].contains(self) }

  /// True where accepting failed for the one who came, and may succeed for the next at once.
  public var isNewcomersLoss: Bool {
    let losses = [
      UV_ECONNABORTED, UV_ECONNRESET, UV_EINTR, UV_EPROTO, UV_EPERM, UV_ENETDOWN, UV_ENETUNREACH, UV_EHOSTUNREACH,
    ]
    return losses.contains { UVError($0) == self }
  }

  /// True where what has run out is file descriptors.
  public var isDescriptorShortage: Bool { [UVError(UV_EMFILE), UVError(UV_ENFILE)].contains(self) }
}
