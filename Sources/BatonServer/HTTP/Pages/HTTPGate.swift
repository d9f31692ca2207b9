internal import HTTP

/// Keeps pages of strangers out. A browser sends what any page tells it to, with the address of the person's own machine
/// or network. So the door looks at what a page cannot choose: `Host`, `Origin` and `Sec-Fetch-Site`.
enum HTTPGate {
  /// Lets a request in, or says why not.
  ///
  /// - Parameter isConsole: whether the request loads the console's own page.
  static func admit(_ head: RequestHead, isConsole: Bool, _ rules: HTTPRules) throws(HTTPRefusal) {
    let host = try host(head, rules)
    let origins = head.fields("origin")
    let allowed = allowed(origins, rules)
    if !origins.isEmpty, allowed == nil, origins.count > 1 || !isOwn(origins[0], host, rules) {
      throw foreign(origins[0], host)
    }
    let sites = head.fields("sec-fetch-site")
    if allowed == nil, sites.contains(where: { isForeign($0) }), !(isConsole && isNavigation(head)) {
      throw HTTPRefusal(
        .foreignPage,
        "a page from elsewhere may not ask here; if it is yours, allow its origin with --allow-origin, or allow_origins in the "
          + "configuration file")
    }
  }

  private static func foreign(_ origin: String, _ host: HTTPHost) -> HTTPRefusal {
    if origin == "null" {
      return HTTPRefusal(
        .foreignPage,
        "a page without an origin (\"null\": of a file, or in a sandbox) may not ask here; serve it from somewhere, and allow "
          + "that with --allow-origin, or allow_origins in the configuration file")
    }
    // The page that the door has sent itself, as a browser sees it through a proxy that ends TLS.
    let isPerhapsOwn = origin.hasPrefix("https://") && HTTPHost(origin.dropFirst("https://".count))?.name == host.name
    let address =
      "; if a proxy in front of this server ends TLS, name that with --public-address, or public_address there"
    return HTTPRefusal(
      .foreignPage,
      "a page of \(quoted(origin)) may not ask here; if it is one of yours, allow it with --allow-origin, or "
        + "allow_origins in the configuration file" + (isPerhapsOwn ? address : ""))
  }

  /// The headers that every answer to a request has, whatever becomes of it: they let the page of an allowed origin read it.
  static func headers(for head: RequestHead, _ rules: HTTPRules) -> [(name: String, value: String)] {
    if rules.origins.isEmpty { return [] }
    var headers = [(name: "Vary", value: "Origin")]
    if let allowed = allowed(head.fields("origin"), rules) {
      headers.append(("Access-Control-Allow-Origin", allowed))
      headers.append(("Access-Control-Expose-Headers", "Baton-Status, Baton-Error, Retry-After"))
    }
    return headers
  }

  /// The origin of a request, if it is an allowed one.
  private static func allowed(_ origins: [String], _ rules: HTTPRules) -> String? {
    origins.count == 1 ? rules.origins.first { $0 == origins[0] && $0 != "null" } : nil
  }

  /// The answer to `OPTIONS`, with which a browser asks what a page may send.
  static func preflight(
    methods: String, isAllowed: Bool, cors: [(name: String, value: String)]
  ) -> HTTPAnswer {
    var headers = [(name: "Allow", value: methods)]
    if isAllowed {
      headers.append(("Access-Control-Allow-Methods", methods))
      headers.append(
        (
          "Access-Control-Allow-Headers",
          "Authorization, Content-Type, Baton-Meta, Last-Event-ID, traceparent, tracestate"
        ))
      headers.append(("Access-Control-Max-Age", "600"))
    }
    return HTTPAnswer(204, headers: headers + cors)
  }

  private static func host(_ head: RequestHead, _ rules: HTTPRules) throws(HTTPRefusal) -> HTTPHost {
    guard let text = head.host else {
      throw HTTPRefusal(
        .wrongHost, "the request has no Host; send \"Host: \" with the address or the name of this server")
    }
    guard let host = HTTPHost(text) else {
      throw HTTPRefusal(
        .wrongHost,
        HTTPHost("[\(text)]") == nil
          ? "the Host \(quoted(text)) is not HOST or HOST:PORT"
          : "the Host \(quoted(text)) is an address of IPv6; write it in brackets, as in [::1] or [::1]:80")
    }
    if host.isAddress || host.name == "localhost" || rules.hosts.contains(where: { $0.lowercased() == host.name }) {
      return host
    }
    throw HTTPRefusal(
      .wrongHost,
      "the Host \(quoted(text)) is no name of this server; "
        + "use its address, or start the server with --http-host \(shown(host.name.utf8))")
  }

  /// Whether an origin is that of the door itself: the public address or, where another host is asked for, one with the
  /// door's scheme, and the same host and port. 80 and 443 are meant where none stands.
  private static func isOwn(_ origin: String, _ host: HTTPHost, _ rules: HTTPRules) -> Bool {
    if let own = rules.ownOrigin, origin == own || isAsked(host, at: own) { return origin == own }
    let scheme = rules.isEncrypted ? "https://" : "http://"
    guard origin.hasPrefix(scheme), let own = HTTPHost(origin.dropFirst(scheme.count)) else { return false }
    let usual = rules.isEncrypted ? 443 : 80
    return own.name == host.name && own.isAddress == host.isAddress && (own.port ?? usual) == (host.port ?? usual)
  }

  /// Whether who asks for a host asks for the public address. A proxy may leave the port out.
  private static func isAsked(_ host: HTTPHost, at own: String) -> Bool {
    guard let end = own.firstRange(of: "://")?.upperBound, let address = HTTPHost(own[end...]) else { return false }
    let usual = own.hasPrefix("https:") ? 443 : 80
    return host.name == address.name && (host.port == nil || host.port == address.port ?? usual)
  }

  private static func isForeign(_ site: String) -> Bool {
    let site = site.lowercased()
    return site == "cross-site" || site == "same-site"
  }

  private static func isNavigation(_ head: RequestHead) -> Bool { head.fields("sec-fetch-mode") == ["navigate"] }

  private static func quoted(_ text: String) -> String { "\"\(shown(text.utf8))\"" }
}
