/// A request to a web service. It is a POST.
public struct WebRequest: Sendable {
  /// The body.
  public var body: [UInt8]
  /// Its headers: names, and values of printable ASCII.
  public var headers: [(name: String, value: String)]
  /// How long all of it may take, from the look-up of the name to the last byte of the answer.
  public var time: Duration
  /// How many bytes of the answer's body are read.
  public var mostBody: Int

  /// A request with these.
  public init(body: [UInt8], headers: [(name: String, value: String)], time: Duration, mostBody: Int) {
    self.body = body
    self.headers = headers
    self.time = time
    self.mostBody = mostBody
  }
}

/// What a web service answers.
public struct WebAnswer: Sendable {
  /// The status.
  public let status: Int
  /// Its headers as they came, those of provisional answers left out. The names are in lower case.
  public let headers: [(name: String, value: String)]
  /// The body: at most so many bytes as the request says.
  public let body: [UInt8]
  /// Whether the body was longer, and read no further.
  public let isCut: Bool

  /// An answer with these.
  public init(status: Int, headers: [(name: String, value: String)], body: [UInt8], isCut: Bool = false) {
    self.status = status
    self.headers = headers
    self.body = body
    self.isCut = isCut
  }

  /// All values of a header, whose name is in lower case.
  public func values(of name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
}

/// Why a web service gave no answer.
public struct WebFault: Error, CustomStringConvertible {
  /// The reason, without names and addresses: for everybody.
  public let description: String
  /// What the library says of it: for whoever runs this program. Empty where it says nothing.
  public let detail: String

  init(_ description: String, detail: String = "") {
    self.description = description
    self.detail = detail
  }
}
