#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What people are told of the time without a connection. One line when an outage begins, one for each other reason, and
/// one when it ends: an attempt is made every few seconds, and nobody reads a line for each.
///
/// Where the next connection is lost at once, the outage goes on. The connections that follow are told only once one has
/// stood for a while: otherwise there would be two lines for each attempt at a server that welcomes and closes.
struct Outage {
  /// A connection that is lost before it has stood for so long ends no outage.
  static let stands = Duration.seconds(5)
  /// So many reasons of one outage are told: a reason may be another one each time.
  static let mostReasons = 10

  /// The clock, and the time of day in seconds since 1970.
  var now: @Sendable () -> ContinuousClock.Instant = { .now }
  var clock: @Sendable () -> Int = { time(nil) }
  /// Where the client is, or tries to be.
  var place: String
  /// When it began; nil where there is none.
  private var began: ContinuousClock.Instant?
  /// The same for people.
  private var since = ""
  private var attempts = 0
  private var reasons: Set<String> = []
  private var isOpen = false
  /// Whether people were told of the last connection, and believe that it stands.
  private var isTold = false
  /// Whether a connection that was told has been lost at once.
  private var comesAndGoes = false

  init(_ place: String) { self.place = place }

  /// A connection is lost, or could not be made. Returns the line for people, if they do not know it yet.
  mutating func lost(_ why: String) -> String? {
    if began == nil {
      began = now()
      since = timeOfDay(clock())
      attempts = 0
      reasons = []
      comesAndGoes = false
    } else if isTold {
      comesAndGoes = true
    }
    if !isOpen { attempts += 1 }
    let isNew = isNews(why)
    let wasTold = isTold
    (isOpen, isTold) = (false, false)
    if !isNew, !wasTold { return nil }
    let tries = attempts > 1 ? " (\(counted))" : ""
    let line = "not connected to \(place): \(why); trying again since \(since)\(tries)"
    let rest = "; it comes and goes: a connection is told once it has stood for \(Outage.stands.components.seconds) s"
    return comesAndGoes ? line + rest : line
  }

  /// Whether people do not know this yet; they do from now on.
  mutating func isNews(_ why: String) -> Bool {
    if began == nil { return true }
    let reason = "\(place): \(why)"
    if reasons.contains(reason) || reasons.count >= Outage.mostReasons { return false }
    reasons.insert(reason)
    return true
  }

  /// The client is open. Returns the line for people, unless it waits until the connection has stood.
  mutating func opened() -> String? {
    isOpen = true
    guard let began else {
      isTold = true
      return "connected to \(place)"
    }
    attempts += 1
    return comesAndGoes ? nil : end(of: began)
  }

  /// The connection has stood for a while: the outage is over. Returns the line for people, if they do not know.
  mutating func stood() -> String? {
    defer { self.began = nil }
    guard let began, !isTold else { return nil }
    return end(of: began)
  }

  private mutating func end(of began: ContinuousClock.Instant) -> String {
    isTold = true
    return "connected to \(place) after \(span(now() - began)) and \(counted)"
  }

  private var counted: String { "\(attempts) attempt\(attempts == 1 ? "" : "s")" }
}

/// A time of day for people, and for programs that sort: `2026-11-30T03:12:07Z`.
private func timeOfDay(_ seconds: Int) -> String {
  var seconds = time_t(seconds)
  var parts = tm()
  gmtime_r(&seconds, &parts)
  func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
  let day = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
  return "\(day)T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
}
