/// The line of a request, while it is made out of the body in steps.
struct LineMaking {
  private let request: HTTPRequest
  private var payload: PayloadMaking?
  private var line: [UInt8] = []

  /// - Parameters:
  ///   - body: how the body becomes a payload; nil if it does not.
  ///   - most: the most bytes of the payload.
  init(_ request: HTTPRequest, _ body: HTTPBody?, bodyCount: Int, atMost most: Int, _ rules: HTTPRules) {
    self.request = request
    line.reserveCapacity(request.begun.count + bodyCount + 64)
    line += request.begun
    guard let body, bodyCount > 0 else { return }
    line.append(",\"payload\":")
    payload = PayloadMaking(body, atMost: most, rules)
  }

  /// The next step, with all of the body. Returns the line with its LF, or the refusal of the body; nil if there are
  /// more steps.
  mutating func goOn(_ body: UnsafeRawBufferPointer) -> Result<[UInt8], HTTPAnswer>? {
    do throws(HTTPRefusal) {
      if try payload?.goOn(body, &line) == false { return nil }
    } catch {
      return .failure(error.answer(cors: request.cors))
    }
    line.append("}\n")
    if !request.reply { line.append("{\"op\":\"ping\",\"id\":2}\n") }
    return .success(line)
  }
}
