internal import UV

/// Why the server cannot listen somewhere, in one line that says what to do.
public struct ListenError: Error, CustomStringConvertible {
  /// The line.
  public let description: String

  /// The options of the program with which a place was given, or where it stands in the configuration file: a message advises
  /// the same.
  public enum Options: Equatable, Sendable {
    case hostAndPort, listen, http
    /// The key of the file, and where the place stands.
    case file(key: String, String)

    fileprivate var port: String {
      switch self {
      case .hostAndPort: "--port"
      case .listen: "--listen"
      case .http: "--http"
      case .file(let key, let place): "\(key) (\(place))"
      }
    }

    fileprivate var host: String { self == .hostAndPort ? "--host" : port }

    /// Port 0 of a host, as it is written there.
    fileprivate func freePort(of host: String) -> String {
      let address = host.contains(":") ? "[\(host)]:0" : "\(host):0"
      switch self {
      case .hostAndPort: return "0"
      case .listen, .http: return address
      case .file(let key, _): return (key == "listen" ? "tcp:" : "http:") + address
      }
    }
  }

  init(_ description: String) { self.description = description }

  init(_ error: UVError, at endpoint: Endpoint, givenWith options: Options) {
    switch (endpoint, error) {
    case _ where error.isShortage:
      description = "cannot listen at \(endpoint): \(error); \(StartError.advice(for: error))"
    case (.tcp(let host, let port), .addressInUse):
      let owner = SocketOwner.ofPort(port, on: host)
      guard owner?.isThisProcess != true else {
        description =
          "port \(port) on \(host) is in use by another place of this server: leave one of the two out, or choose another port "
          + "with \(options.port)"
        return
      }
      description = """
        port \(port) on \(host) is in use\(owner.map { " by \($0)" } ?? ""): \
        \(owner == nil ? ListenError.search(port) : "stop it"), or choose another port with \(options.port) \
        (\(options.port) \(options.freePort(of: host)) takes a free port)
        """
    case (.tcp(let host, let port), .accessDenied):
      description = "this user may not listen on port \(port) of \(host): choose a port above 1023 with \(options.port)"
    case (.tcp(let host, _), .addressNotAvailable):
      description = "this machine has no address \(host): choose another one with \(options.host) (0.0.0.0 is all)"
    case (.tcp(let host, _), _):
      description = "cannot listen on \(host): \(error); choose another address with \(options.host)"
    case (.unix(let path), .addressInUse) where SocketOwner.ofSocket(path)?.isThisProcess == true:
      description = "another place of this server listens on the socket \(path): leave one of the two out"
    case (.unix(let path), .addressInUse):
      description =
        UnixSocketFile.isSocket(path)
        ? "another program listens on the socket \(path): "
          + "stop \(SocketOwner.ofSocket(path)?.description ?? "it"), or choose another path"
        : "\(path) exists and is not a socket: choose another path"
    case (.unix(let path), .accessDenied), (.unix(let path), .noSuchFile):
      description = "cannot create the socket \(path): its directory does not exist, or this user may not write there"
    case (.unix(let path), .nameTooLong):
      description = "the socket path \(path) is too long: choose a shorter path"
    case (.unix(let path), _):
      description = "cannot listen on the socket \(path): \(error); choose another path"
    }
  }

  /// How to find the program that uses a port, where the server may not find it.
  private static func search(_ port: UInt16) -> String {
    #if os(Linux)
      "stop the program that uses it (sudo ss -ltnp sport = :\(port) names it)"
    #else
      "stop the program that uses it (sudo lsof -nP -iTCP:\(port) -sTCP:LISTEN names it)"
    #endif
  }
}
