internal import UV

/// Why the server cannot listen somewhere, in one line that says what to do.
public struct ListenError: Error, CustomStringConvertible {
  /// The line.
  public let description: String

  init(_ description: String) { self.description = description }

  init(_ error: UVError, at endpoint: Endpoint) {
    switch (endpoint, error) {
    case _ where error.isShortage:
      description = "cannot listen at \(endpoint): \(error); \(StartError.advice(for: error))"
    case (.tcp(let host, let port), .addressInUse):
      description = """
        port \(port) on \(host) is in use: end the program that has it, or choose another with --port \
        (--port 0 takes a free one)
        """
    case (.tcp(let host, let port), .accessDenied):
      description = "port \(port) on \(host) is not for this user: choose one above 1023 with --port"
    case (.tcp(let host, _), .addressNotAvailable):
      description = "this machine has no address \(host): choose one that it has with --host (0.0.0.0 is all of them)"
    case (.tcp(let host, _), _):
      description = "cannot listen on \(host): \(error); choose another address with --host"
    case (.unix(let path), .addressInUse):
      description =
        UnixSocketFile.isSocket(path)
        ? "another program listens on the socket \(path): end it, or choose another path"
        : "\(path) is there already and is no socket: choose another path"
    case (.unix(let path), .accessDenied), (.unix(let path), .noSuchFile):
      description = "cannot make the socket \(path): its directory is not there or not for this user"
    case (.unix(let path), .nameTooLong):
      description = "the socket path \(path) is too long: choose a shorter one"
    case (.unix(let path), _):
      description = "cannot listen on the socket \(path): \(error); choose another path"
    }
  }
}
