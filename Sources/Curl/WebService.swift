internal import CCurl
private import Synchronization

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A web service, to which requests are posted: as many at once as are asked for, on connections that are kept, by one
/// thread of its own. Redirects are not followed, and the environment's proxies are not asked.
///
/// Its thread runs as long as the process does.
public final class WebService: Sendable {
  /// Where it is, and how it is reached.
  public struct Place: Sendable {
    /// `http:` or `https:`.
    public var url: String
    /// The authorities that count for its certificate, as a file (PEM); nil: the system's.
    public var authorities: String?
    /// The proxy; nil: none, whatever the environment says.
    public var proxy: String?

    /// A place with these.
    public init(url: String, authorities: String? = nil, proxy: String? = nil) {
      self.url = url
      self.authorities = authorities
      self.proxy = proxy
    }
  }

  /// What is wrong with a URL, for people.
  public struct Complaint: Error, CustomStringConvertible {
    /// The words.
    public let description: String
  }

  private enum Order: Sendable {
    case begin(Int, WebRequest, CheckedContinuation<Result<WebAnswer, WebFault>, Never>)
    case cancel(Int)
  }

  private let place: Place
  /// `unsafe` because the library says that this may be woken from every thread. All else is done on its own.
  private nonisolated(unsafe) let many: UnsafeMutableRawPointer
  private let orders = Mutex<(list: [Order], last: Int)>(([], 0))

  /// Starts its thread. Throws if the library is not there, or the system has no room. `kept` is how many connections
  /// are kept open for the next request.
  public init(_ place: Place, kept: Int) throws(Complaint) {
    try Self.open()
    guard let many = ccurl_many(kept) else { throw Complaint(description: "there is no memory for a web service") }
    self.place = place
    self.many = many
    start()
  }

  /// The host of a URL. Throws where nothing can be posted to it.
  public static func host(of url: String) throws(Complaint) -> String {
    try open()
    var host = [CChar](repeating: 0, count: 256)
    switch ccurl_judge(url, &host, host.count) {
    // The library would take http:///path for the host path.
    case CCURL_GOOD where hasNoHost(url), CCURL_MALFORMED where hasNoHost(url):
      throw Complaint(description: "names no host behind its two slashes; it looks like https://host/path")
    case CCURL_GOOD: return host.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    case CCURL_OTHER_SCHEME: throw Complaint(description: "begins neither with http:// nor with https://")
    case CCURL_HAS_USER:
      throw Complaint(description: "has a user in it, and everybody who lists the machine's programs would see it")
    default: throw Complaint(description: "is not a URL; it looks like https://host/path")
    }
  }

  private static func hasNoHost(_ url: String) -> Bool {
    let rest = url.drop { $0 != ":" }.dropFirst()
    let host = rest.hasPrefix("//") ? rest.dropFirst(2).prefix { !"/?#:".contains($0) } : ""
    return rest.hasPrefix("/") && host.isEmpty
  }

  private static let fault = ccurl_open().map { String(cString: $0) }

  /// Opens the library.
  private static func open() throws(Complaint) {
    if let fault { throw Complaint(description: "needs libcurl, and \(fault)") }
  }

  /// Posts a request, and returns the whole answer. Throws `WebFault` if there is none, and `CancellationError` if the
  /// task is cancelled: the connection is closed then.
  public func post(_ request: WebRequest) async throws -> WebAnswer {
    let id = orders.withLock { orders in
      orders.last += 1
      return orders.last
    }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { told in
        put(.begin(id, request, told))
        // It may have been cancelled before it began.
        if Task.isCancelled { put(.cancel(id)) }
      }
    } onCancel: {
      put(.cancel(id))
    }
    if case .failure = outcome, Task.isCancelled { throw CancellationError() }
    return try outcome.get()
  }

  private func put(_ order: Order) {
    let isFirst = orders.withLock { orders in
      orders.list.append(order)
      return orders.list.count == 1
    }
    if isFirst { ccurl_wake(many) }
  }

  // MARK: Its thread

  private func start() {
    let held = Unmanaged.passRetained(self).toOpaque()
    #if canImport(Darwin)
      var started: pthread_t?
    #else
      var started = pthread_t()
    #endif
    let result = pthread_create(&started, nil, runService, held)
    precondition(result == 0, "the system has no thread left")
  }

  fileprivate func run() {
    // A write to a service that is gone must be an error of that write.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var transfers: [Int: Transfer] = [:]
    var ids: [UnsafeMutableRawPointer: Int] = [:]
    while true {
      let ready = orders.withLock { orders in
        defer { orders.list = [] }
        return orders.list
      }
      for order in ready {
        switch order {
        case .begin(let id, let request, let told):
          let transfer = Transfer(request, told)
          guard transfer.begin(many, at: place.url, place.authorities, through: place.proxy) else {
            transfer.end(many, CURLE_OUT_OF_MEMORY)
            continue
          }
          transfers[id] = transfer
          ids[Unmanaged.passUnretained(transfer).toOpaque()] = id
        case .cancel(let id):
          guard let transfer = transfers.removeValue(forKey: id) else { continue }
          ids[Unmanaged.passUnretained(transfer).toOpaque()] = nil
          transfer.end(many, nil)
        }
      }
      _ = ccurl_perform(many)
      var (code, object): (CURLcode, UnsafeMutableRawPointer?) = (CURLE_OK, nil)
      while ccurl_next(many, &code, &object) != nil {
        guard let object, let id = ids[object], let transfer = transfers[id] else { continue }
        if transfer.beginsAgain(many, code) { continue }
        ids[object] = nil
        transfers[id] = nil
        transfer.end(many, code)
      }
      _ = ccurl_wait(many)
    }
  }
}

#if canImport(Darwin)
  private func runService(_ held: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<WebService>.fromOpaque(held).takeRetainedValue().run()
    return nil
  }
#else
  private func runService(_ held: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let held { Unmanaged<WebService>.fromOpaque(held).takeRetainedValue().run() }
    return nil
  }
#endif
