internal import HTTP

extension RequestHead {
  /// The value of a header that stands in a request once at most; nil if it is absent. Which of several counts, proxies
  /// and servers know differently.
  ///
  /// - Parameters:
  ///   - name: in small letters, `shown` as people write it.
  ///   - closes: whether the connection closes behind the refusal.
  func soleField(_ name: String, shown: String, closes: Bool = false) throws(HTTPRefusal) -> String? {
    guard let fields = texts(name) else {
      throw HTTPRefusal(.badRequest, "the value of \(shown) is not UTF-8", closes: closes)
    }
    if fields.count < 2 { return fields.first }
    throw HTTPRefusal(.badRequest, "the request has \(shown) \(fields.count) times; send it once", closes: closes)
  }
}
