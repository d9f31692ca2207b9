/// One place at which the server listens, and what it says beside the place.
public struct ListenEntry: Equatable, Sendable {
  /// Where a server may listen.
  public enum Place: Hashable, Sendable {
    /// A host, by number or name, and a port; port 0 takes a free one.
    case tcp(host: String, port: UInt16)
    /// The same, encrypted.
    case tls(host: String, port: UInt16)
    /// The path of a Unix socket.
    case unix(path: String)
    /// HTTP at a host and a port.
    case http(host: String, port: UInt16)
    /// The same, encrypted.
    case https(host: String, port: UInt16)
  }

  /// Where it is.
  public var place: Place
  /// The mode of a Unix socket's file; nil: for its owner only.
  public var mode: UInt16?
  /// The group of a Unix socket's file; nil: that of the process.
  public var group: SystemGroup?
  /// Whether a TCP listener takes tokens although anybody on the way can read them.
  public var takesPlainTokens = false

  /// Whether each connection has to begin with the header of a proxy, which says where its client is.
  public var takesProxyHeader = false

  /// A place that says nothing more.
  public init(_ place: Place) { self.place = place }

  /// Where the server listens if nobody says anything.
  public static let byDefault = ListenEntry(.tcp(host: "127.0.0.1", port: 22866))

  /// Where HTTP is served if nobody says anything.
  public static let httpByDefault = ListenEntry(.http(host: "127.0.0.1", port: 22868))

  /// Whether what goes over it is encrypted.
  public var isEncrypted: Bool {
    switch place {
    case .tls, .https: true
    case .tcp, .unix, .http: false
    }
  }

  /// Whether peers speak HTTP there, and no lines.
  public var speaksHTTP: Bool {
    switch place {
    case .http, .https: true
    case .tcp, .tls, .unix: false
    }
  }

  /// Whether other machines may reach it. A name counts as theirs, for nobody knows yet what it stands for.
  public var isReachedFromOutside: Bool {
    place.host.map { !ListenEntry.isLoopback($0) } ?? false
  }

  /// Whether two different hosts share addresses, as far as their spelling tells. `::` has those of the fourth version of IP,
  /// too.
  static func overlap(_ one: String, _ other: String) -> Bool {
    func isFour(_ host: String) -> Bool { !host.contains(":") && host.allSatisfy { $0.isNumber || $0 == "." } }
    let hosts = [one, other].map { $0 == "localhost" ? "127.0.0.1" : $0 }
    if one == other { return false }
    if hosts[0] == hosts[1] || hosts.contains("0.0.0.0") && hosts.allSatisfy(isFour) { return true }
    return hosts.contains("::") && hosts.allSatisfy { $0.contains(":") || isFour($0) }
  }

  /// Whether a host is this machine itself: `127.…` in four numbers, `::1`, or `localhost`.
  public static func isLoopback(_ host: String) -> Bool {
    if host == "::1" || host == "localhost" { return true }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
  }
}

/// A group of the system, by name or number.
public enum SystemGroup: Hashable, Sendable {
  case name(String)
  case number(UInt32)

  /// The number; nil if there is no such group here any more.
  public var number: UInt32? {
    switch self {
    case .name(let name): SystemNames.groupNumber(name)
    case .number(let number): number
    }
  }
}

extension ListenEntry.Place {
  /// The host; nil for a Unix socket.
  public var host: String? {
    switch self {
    case .tcp(let host, _), .tls(let host, _), .http(let host, _), .https(let host, _): host
    case .unix: nil
    }
  }

  /// The port; nil for a Unix socket.
  public var port: UInt16? {
    switch self {
    case .tcp(_, let port), .tls(_, let port), .http(_, let port), .https(_, let port): port
    case .unix: nil
    }
  }
}

extension ListenEntry.Place: CustomStringConvertible {
  /// As the file spells it: `tcp:HOST:PORT`.
  public var description: String {
    switch self {
    case .tcp(let host, let port): "tcp:\(Self.bracketed(host)):\(port)"
    case .tls(let host, let port): "tls:\(Self.bracketed(host)):\(port)"
    case .unix(let path): "unix:\(path)"
    case .http(let host, let port): "http:\(Self.bracketed(host)):\(port)"
    case .https(let host, let port): "https:\(Self.bracketed(host)):\(port)"
    }
  }

  private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

  /// The names of the kinds of `listen`, as keys of a map and before the first colon of a text.
  static let kinds = ["tcp", "tls", "unix"]
  /// Those of `http`.
  static let httpKinds = ["http", "https"]

  /// Why a text is no place.
  public struct Complaint: Error, Equatable {
    /// What is wrong, and how to mend it.
    public let message: String
  }

  /// Reads `tcp:HOST:PORT`, `tls:HOST:PORT` or `unix:PATH`.
  public init(_ text: String) throws(Complaint) {
    guard let colon = text.firstIndex(of: ":"), Self.kinds.contains(String(text[..<colon])) else {
      if text.hasPrefix("http:") || text.hasPrefix("https:") {
        throw Self.onlyHTTP(text)
      }
      let isAddress = (try? Self(kind: "tcp", text)) != nil
      let hint = isAddress ? "tcp:\(text)" : "tcp:HOST:PORT, tls:HOST:PORT or unix:PATH"
      throw Complaint(message: "\(quoted(text)) is not a place to listen at; write \(hint)")
    }
    try self.init(kind: String(text[..<colon]), String(text[text.index(after: colon)...]))
  }

  /// Reads `HOST:PORT`, `http:HOST:PORT` or `https:HOST:PORT`: a place where HTTP is served.
  public init(http text: String) throws(Complaint) {
    let kind = text.firstIndex(of: ":").map { String(text[..<$0]) } ?? ""
    let rest = text.dropFirst(kind.utf8.count + 1)
    switch kind {
    case "http", "https": try self.init(kind: kind, String(rest))
    case "unix": throw Self.noSocket
    case "tcp", "tls":
      let meant = kind == "tls" ? "https" : "http"
      let address = rest.utf8.count > 64 ? "HOST:PORT" : rest
      throw Complaint(message: "\(quoted(text)) is no place for HTTP; write \(meant):\(address)")
    default:
      if text.hasPrefix("/") || text.hasPrefix(".") { throw Self.noSocket }
      try self.init(kind: "http", text)
    }
  }

  /// What is said of a place for HTTP that stands among those for lines.
  static func onlyHTTP(_ text: String) -> Complaint {
    Complaint(message: "\(quoted(text)) is for HTTP; write it with --http, or under http in the configuration file")
  }

  /// What is said of a Unix socket for HTTP.
  static let noSocket = Complaint(
    message: "HTTP is served at a host and a port, and not at a Unix socket; write http:HOST:PORT or https:HOST:PORT "
      + "(a socket for lines stands in listen)")

  /// Reads what stands after `tcp:`, `tls:`, `unix:`, `http:` or `https:`.
  init(kind: String, _ text: String) throws(Complaint) {
    if kind == "unix" {
      guard !text.isEmpty, !text.utf8.contains(0) else { throw Complaint(message: "unix: needs a path after it") }
      self = .unix(path: text)
      return
    }
    if text.hasPrefix("//") {
      let address = text.dropFirst(2).prefix { $0 != "/" }
      let rest = address.utf8.count > 64 ? "HOST:PORT" : String(address)
      throw Complaint(message: "\(quoted("\(kind):\(text)")) has slashes, which belong to URLs; write \(kind):\(rest)")
    }
    let example = "\(kind):127.0.0.1:\(Self.httpKinds.contains(kind) ? 22868 : 22866)"
    guard let colon = text.lastIndex(of: ":"), text[..<colon].isEmpty == false else {
      throw Complaint(message: "\(quoted(text)) needs a host and a port, as in \(example)")
    }
    let digits = text[text.index(after: colon)...]
    guard let port = UInt16(digits), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw Complaint(message: "\(quoted(String(digits))) is not a port; ports are from 0 to 65535, 0 takes a free one")
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw Complaint(message: "an address of IPv6 stands in brackets: '\(kind):[\(shortHost(host))]:\(port)'")
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw Complaint(message: "\(quoted(text)) needs a host before the port, as in \(example)")
    }
    switch kind {
    case "tls": self = .tls(host: String(host), port: port)
    case "http": self = .http(host: String(host), port: port)
    case "https": self = .https(host: String(host), port: port)
    default: self = .tcp(host: String(host), port: port)
    }
  }
}

private func shortHost(_ host: Substring) -> String { host.utf8.count > 64 ? "…" : String(host) }
