public import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A socket that a service manager has opened for this process, and what its name says of it.
public struct ActivatedSocket: Sendable {
  /// The socket.
  public let socket: HandedOverSocket
  /// What its name says: `tls`, `plain-tokens`, `http` or `https`.
  public let extras: ListeningOptions
}

/// Takes sockets that a service manager hands over, systemd for instance (`LISTEN_FDS`).
public enum SocketActivation {
  /// Why what was handed over is of no use.
  public struct Mistake: Error, CustomStringConvertible {
    /// What is wrong, and how to mend it.
    public let description: String
  }

  /// The first descriptor that is handed over.
  private static let first: Int32 = 3
  private static let names = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"]
  private static let most: Int32 = 256

  /// Takes the sockets out of the environment, so that programs which this one starts find neither them nor their
  /// numbers. Nil if there are none for this process.
  public static func takeFromEnvironment() throws(Mistake) -> [ActivatedSocket]? {
    let values = names.map { name in getenv(name).map { String(cString: $0) } }
    for name in names { unsetenv(name) }
    // They may have been meant for a process that has started this one.
    guard let process = values[0], let text = values[1], Int32(process) == getpid() else { return nil }
    guard let count = Int32(text), (0...most).contains(count) else {
      throw Mistake(description: "LISTEN_FDS is \"\(text)\", and not a number from 0 to \(most)")
    }
    guard count > 0 else { return nil }
    let named = (values[2] ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    var sockets: [ActivatedSocket] = []
    for number in 0..<count {
      let name = Int(number) < named.count ? named[Int(number)] : ""
      sockets.append(try take(first + number, name))
    }
    return sockets
  }

  private static func take(_ number: Int32, _ name: String) throws(Mistake) -> ActivatedSocket {
    let words = "the socket handed over as descriptor \(number)" + (name.isEmpty ? "" : " (\(name))")
    let socket: HandedOverSocket
    do throws(HandedOverSocket.Flaw) {
      socket = try HandedOverSocket(number)
    } catch {
      throw Mistake(description: "\(words) \(Self.words(of: error))")
    }
    return ActivatedSocket(socket: socket, extras: try extras(name, of: socket, words))
  }

  private static func words(of flaw: HandedOverSocket.Flaw) -> String {
    switch flaw {
    case .noSocket: "is no socket, or not open; hand over what ListenStream= opens"
    case .noStream: "is no stream socket; use ListenStream="
    case .doesNotListen: "is a connection and does not listen; use Accept=no"
    case .foreignFamily: "is neither TCP nor a Unix socket; use ListenStream= with an address or a path"
    }
  }

  private static func extras(_ name: String, of socket: HandedOverSocket, _ words: String) throws(Mistake)
    -> ListeningOptions
  {
    var extras = ListeningOptions()
    switch name {
    case "tls":
      guard case .tcp = socket.endpoint else {
        throw Mistake(description: "\(words) is a Unix socket, and tls is for TCP; give it another FileDescriptorName=")
      }
      extras.isEncrypted = true
    case "http", "https":
      guard case .tcp = socket.endpoint else {
        throw Mistake(
          description: "\(words) is a Unix socket, and \(name) is for TCP; write ListenStream= with a port, or give it "
            + "another FileDescriptorName=")
      }
      extras.speaksHTTP = true
      extras.isEncrypted = name == "https"
    case "plain-tokens": extras.takesPlainTokens = true
    default:
      // A plain socket where an encrypted one was meant would be no small slip.
      let meant = name.lowercased().replacing("_", with: "-")
      guard !["tls", "plain-tokens", "http", "https"].contains(meant) else {
        throw Mistake(
          description: "\(words): write FileDescriptorName=\(meant), or choose a name that is quite another")
      }
    }
    return extras
  }
}
