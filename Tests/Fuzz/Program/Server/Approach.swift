/// How a peer comes to the server: over what, and with what to show.
struct Approach {
  /// What it shows first.
  enum Credential: String {
    case right = "right token"
    case other = "other identity's token"
    case wrong = "wrong token"
    case cut = "cut token"
    /// It says nothing of itself, and remains a stranger.
    case none = "no token"
  }

  /// What the connection itself suffers.
  enum Harm: String {
    /// One byte of its handshake is another.
    case brokenHandshake = "TLS, broken handshake"
    /// One byte of a record is another.
    case damagedRecord = "TLS, damaged record"
    /// The connection ends within a record.
    case cutRecord = "TLS, cut record"
    /// It speaks plain text where TLS is spoken.
    case plainText = "TLS, plain text"
  }

  let credential: Credential
  let isEncrypted: Bool
  /// Only where it is encrypted.
  let harm: Harm?
  /// The most bytes of ciphertext that it writes at once; nil for all that there are.
  let grain: Int?

  /// What has to be reached in every run.
  static let all =
    [Credential.right, .other, .wrong, .cut, .none].map(\.rawValue)
    + [Harm.brokenHandshake, .damagedRecord, .cutRecord, .plainText].map(\.rawValue)
    + [overTLS, inPieces, endInOrder]
  static let overTLS = "TLS"
  static let inPieces = "TLS, records in pieces"
  static let endInOrder = "TLS, ended with close_notify"

  init(using generator: inout some RandomNumberGenerator) {
    let kind = Int.random(in: 0..<20, using: &generator)
    credential = kind < 14 ? .right : kind < 16 ? .other : kind < 17 ? .wrong : kind < 18 ? .cut : .none
    isEncrypted = Bool.random(using: &generator)
    let harms: [Harm] = [.brokenHandshake, .damagedRecord, .cutRecord, .plainText]
    let suffers = Int.random(in: 0..<4, using: &generator) == 0
    harm = isEncrypted && suffers ? harms.randomElement(using: &generator) : nil
    grain = Int.random(in: 0..<5, using: &generator) == 0 ? Int.random(in: 1...300, using: &generator) : nil
  }

  /// What it says first; nil if it says nothing of itself.
  func greeting(_ household: Household, using generator: inout some RandomNumberGenerator) -> String? {
    switch credential {
    case .right: return Household.hello(household.token)
    case .other: return Household.hello(household.otherToken)
    case .wrong:
      // One character of a good one is another.
      var token = Array(household.token)
      let place = Int.random(in: token.indices, using: &generator)
      token[place] = token[place] == "x" ? "y" : "x"
      return Household.hello(String(token))
    case .cut:
      return Household.hello(String(household.token.prefix(.random(in: 1..<household.token.count, using: &generator))))
    case .none: return nil
    }
  }
}
