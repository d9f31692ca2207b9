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
  }

  /// Where it is.
  public var place: Place
  /// The mode of a Unix socket's file; nil: for its owner only.
  public var mode: UInt16?
  /// The group of a Unix socket's file; nil: that of the process.
  public var group: SystemGroup?
  /// Whether a TCP listener takes tokens although anybody on the way can read them.
  public var takesPlainTokens = false

  /// A place that says nothing more.
  public init(_ place: Place) { self.place = place }

  /// Where the server listens if nobody says anything.
  public static let byDefault = ListenEntry(.tcp(host: "127.0.0.1", port: 22866))

  /// Whether what goes over it is encrypted.
  public var isEncrypted: Bool { if case .tls = place { true } else { false } }

  /// Whether other machines may reach it. A name counts as theirs, for nobody knows yet what it stands for.
  public var isReachedFromOutside: Bool {
    switch place {
    case .unix: false
    case .tcp(let host, _), .tls(let host, _): !ListenEntry.isLoopback(host)
    }
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

extension ListenEntry.Place: CustomStringConvertible {
  /// As the file spells it: `tcp:HOST:PORT`.
  public var description: String {
    switch self {
    case .tcp(let host, let port): "tcp:\(Self.bracketed(host)):\(port)"
    case .tls(let host, let port): "tls:\(Self.bracketed(host)):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

  /// The names of the kinds, as keys of a map and before the first colon of a text.
  static let kinds = ["tcp", "tls", "unix"]

  /// Why a text is no place.
  public struct Complaint: Error, Equatable {
    /// What is wrong, and how to mend it.
    public let message: String
  }

  /// Reads `tcp:HOST:PORT`, `tls:HOST:PORT` or `unix:PATH`.
  public init(_ text: String) throws(Complaint) {
    guard let colon = text.firstIndex(of: ":"), Self.kinds.contains(String(text[..<colon])) else {
      let isAddress = (try? Self(kind: "tcp", text)) != nil
      let hint = isAddress ? "tcp:\(text)" : "tcp:HOST:PORT, tls:HOST:PORT or unix:PATH"
      throw Complaint(message: "\(quoted(text)) is not a place to listen at; write \(hint)")
    }
    try self.init(kind: String(text[..<colon]), String(text[text.index(after: colon)...]))
  }

  /// Reads what stands after `tcp:`, `tls:` or `unix:`.
  init(kind: String, _ text: String) throws(Complaint) {
    if kind == "unix" {
      guard !text.isEmpty, !text.utf8.contains(0) else { throw Complaint(message: "unix: needs a path after it") }
      self = .unix(path: text)
      return
    }
    if text.hasPrefix("//") {
      let rest = text.dropFirst(2).utf8.count > 64 ? "HOST:PORT" : String(text.dropFirst(2))
      throw Complaint(message: "\(quoted("\(kind):\(text)")) has slashes, which belong to URLs; write \(kind):\(rest)")
    }
    guard let colon = text.lastIndex(of: ":"), text[..<colon].isEmpty == false else {
      throw Complaint(message: "\(quoted(text)) needs a host and a port, as in \(kind):127.0.0.1:22866")
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
      throw Complaint(message: "\(quoted(text)) needs a host before the port, as in \(kind):127.0.0.1:22866")
    }
    self = kind == "tls" ? .tls(host: String(host), port: port) : .tcp(host: String(host), port: port)
  }
}

private func shortHost(_ host: Substring) -> String { host.utf8.count > 64 ? "…" : String(host) }
