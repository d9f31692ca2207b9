internal import BatonCore

/// Where a handler stands in its chain, and how it is asked: the members of `insert`.
public struct Link: Sendable {
  /// Where a new link goes.
  public enum Place: Sendable, Hashable {
    case front, back
    case before(String), after(String)
    case rank(Double)
  }

  /// What a failure means for a message.
  public enum FailurePolicy: Sendable, Hashable {
    /// The next link is asked.
    case `continue`
    /// The sender gets `failed`.
    case stop
    /// A policy per cause (`timeout`, `disconnect`, `failed`, `overload`, `breaker`); true stops. Others continue.
    case perCause([String: Bool])
  }

  /// The link's name, unique in its chain.
  public var name: String
  /// The chain.
  public var chain: String
  /// The patterns of the topics that it accepts.
  public var accepts: [String]
  /// Where it goes the first time. A handler that comes back takes its old place.
  public var place: Place?
  /// How long one offer may take; nil: a fair share of the time of the message.
  public var timeout: Duration?
  /// How many offers may be open at once; nil: the default of the server.
  public var window: Int?
  /// What a failure means for a message; nil: the next link is asked.
  public var onFailure: FailurePolicy?
  /// Whether several programs serve the link as replicas.
  public var isShared = false
  /// How long the server keeps the place while nobody serves it.
  public var hold: Duration?
  /// Whether the server keeps the place for ever while nobody serves it.
  public var isRequired = false
  /// Whether it only gets copies.
  public var isShadow = false
  /// For which part of the messages it is, in percent, by their keys; nil: for all (contract, section 5, `percent`).
  public var percent: Int?
  /// What a message has to say that it is for the link, as JSON: a condition (contract, section 5, `when`); nil: nothing.
  public var when: Payload?
  /// Whether no message passes without the handler's verdict: the place is kept for ever, every failure stops, and it
  /// stands at the front unless `place` says otherwise. Where the configuration file makes it weaker, the client does not
  /// serve: it ends with `not_a_guard`.
  public var isGuard = false

  /// Whether it takes the place over from the handler of that name that serves it.
  package var takesOver = false

  /// Whether the configuration file says which topics it accepts; where that does not declare it, all.
  package var leavesTopics = false

  /// A link at the back of `chain` that accepts every topic.
  public init(_ name: String, in chain: String = "main", accepts: [String] = [">"]) {
    self.name = name
    self.chain = chain
    self.accepts = accepts
  }

  /// What it is known by.
  var title: LinkName { LinkName(chain: chain, handler: name) }

  /// Whether the server keeps its place while nobody serves it.
  var isKept: Bool { isRequired || isGuard || (hold ?? .zero) > .zero }

  /// The line that inserts it: at `rank`, byte for byte as the server wrote it, where it has had one.
  func insertion(rank: Payload?) -> RequestLine {
    var line = RequestLine("insert")
    add(to: &line)
    if let rank {
      line.add("rank", rank)
    } else {
      (place ?? (isGuard ? .front : nil))?.add(to: &line)
    }
    return line
  }

  /// The line that takes its place over from an older connection.
  var replacement: RequestLine {
    var line = RequestLine("replace")
    add(to: &line)
    return line
  }

  /// The line that removes it.
  var removal: RequestLine {
    var line = RequestLine("remove")
    line.add("chain", text: chain)
    line.add("handler", text: name)
    return line
  }

  /// The line that gives it another place.
  func moving(to place: Place) -> RequestLine {
    var line = RequestLine("move")
    line.add("chain", text: chain)
    line.add("handler", text: name)
    place.add(to: &line)
    return line
  }

  private func add(to line: inout RequestLine) {
    line.add("chain", text: chain)
    line.add("handler", text: name)
    if !leavesTopics { line.add("accepts", texts: accepts) }
    line.add("timeout_ms", milliseconds: timeout)
    line.add("window", window)
    (isGuard ? .stop : onFailure)?.add(to: &line)
    line.add("share", isShared)
    line.add("hold_ms", milliseconds: hold)
    line.add("required", isRequired || isGuard)
    line.add("shadow", isShadow)
    // A guard says it also where it is the default: then the server tells whether the file says otherwise.
    line.add("percent", percent ?? (isGuard ? 100 : nil))
    line.add("when", when)
  }
}

extension Link.Place {
  func add(to line: inout RequestLine) {
    switch self {
    case .front: line.add("at", text: "front")
    case .back: line.add("at", text: "back")
    case .before(let name): line.add("before", text: name)
    case .after(let name): line.add("after", text: name)
    case .rank(let rank):
      let spelled = Int(exactly: rank).map { "\($0)" } ?? "\(rank)"
      line.add("rank", Payload(checked: Array(spelled.utf8)))
    }
  }
}

extension Link.FailurePolicy {
  func add(to line: inout RequestLine) {
    switch self {
    case .continue: line.add("on_failure", text: "continue")
    case .stop: line.add("on_failure", text: "stop")
    case .perCause(let causes):
      let members = causes.sorted { $0.key < $1.key }
        .map { Payload(text: $0.key).json + ":" + ($0.value ? "\"stop\"" : "\"continue\"") }
      line.add("on_failure", Payload(checked: Array("{\(members.joined(separator: ","))}".utf8)))
    }
  }
}

// MARK: Mistakes

extension Link {
  /// Throws `BatonError` where the server would refuse it, whatever its settings are, and where a guard is said to let
  /// messages pass.
  func check() throws(BatonError) {
    try Names.check(name: name, as: "the name of a handler")
    try Names.check(name: chain, as: "the name of a chain")
    guard !accepts.isEmpty else {
      throw .refused(
        code: "bad_value", message: "accepts: say which topics \(name) accepts, for instance \">\" for all")
    }
    try Names.check(patterns: accepts)
    try place?.check()
    try timeout?.checkTime(as: "timeout")
    try hold?.checkTime(as: "hold", least: 0)
    if let window, window < 1 {
      throw .refused(code: "bad_value", message: "window: \(window) is not a number above 0")
    }
    if let percent, !(0...100).contains(percent) {
      throw .refused(code: "bad_value", message: "percent: \(percent) is not a number from 0 to 100")
    }
    try onFailure?.check()
    guard isGuard else { return }
    if isShadow { throw Link.contrary("isShadow = true") }
    if let onFailure, onFailure != .stop { throw Link.contrary("onFailure = .\(onFailure)") }
    if let percent, percent < 100 { throw Link.contrary("percent = \(percent)") }
  }

  /// A guard is told to let messages pass.
  static func contrary(_ said: String) -> BatonError {
    .refused(
      code: "bad_value", message: "a guard is required and stops messages when it fails: \(said) says otherwise")
  }
}

extension Link.Place {
  func check() throws(BatonError) {
    switch self {
    case .front, .back: return
    case .before(let name): try Names.check(name: name, as: "before: the name of a handler")
    case .after(let name): try Names.check(name: name, as: "after: the name of a handler")
    case .rank(let rank):
      if !rank.isFinite { throw .refused(code: "bad_value", message: "rank: \(rank) is not a number") }
    }
  }
}

extension Link.FailurePolicy {
  func check() throws(BatonError) {
    guard case .perCause(let given) = self else { return }
    let causes = Cause.allCases.map { "\($0.spelling)" }
    guard let unknown = given.keys.sorted().first(where: { !causes.contains($0) }) else { return }
    let all = causes.joined(separator: ", ")
    throw .refused(code: "bad_value", message: "onFailure: \(unknown.debugDescription) is none of \(all)")
  }
}

/// What a link is known by.
struct LinkName: Hashable, Sendable {
  let chain: String
  let handler: String
}
