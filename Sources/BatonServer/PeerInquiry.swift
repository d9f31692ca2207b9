internal import BatonCore
internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Finds out what a socket tells about its peer, for the router.
struct PeerInquiry {
  /// The names of users that were looked up; nil for a number without a name. The system may have to ask other machines
  /// for a name, so it is asked once.
  private var names: [UInt32: String?] = [:]
  private static let mostNames = 1000

  /// What is known of the peer at the other end of a stream. `takesPlainTokens`: its place takes tokens although others
  /// can read them. `asksUsers`: who it is counts, and not only from where it comes.
  mutating func facts(of stream: UV.Stream, takesPlainTokens: Bool, asksUsers: Bool) -> PeerFacts {
    var facts = PeerFacts()
    switch stream.kind {
    case .tcp:
      let address = stream.peerAddress
      facts.address = address?.group ?? 0
      facts.takesTokens = takesPlainTokens || stream.staysOnMachine
    case .unix:
      guard asksUsers, let number = stream.peerUser else { break }
      facts.users = [.numbered(number)]
      if let name = name(of: number) { facts.users.append(.named(name)) }
    }
    return facts
  }

  private mutating func name(of number: UInt32) -> String? {
    if let known = names[number] { return known }
    if names.count >= PeerInquiry.mostNames { names = [:] }
    errno = 0
    let name = getpwuid(number).map { String(cString: $0.pointee.pw_name) }
    // What could not be looked up now, for instance without a descriptor, is looked up again.
    let isUnknown = name == nil && ![0, ENOENT, ESRCH].contains(errno)
    if !isUnknown { names[number] = .some(name) }
    return name
  }
}
