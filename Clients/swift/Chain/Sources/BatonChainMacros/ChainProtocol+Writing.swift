/// The code that is made.
extension ChainProtocol {
  /// The type whose methods are messages.
  var sender: String {
    let methods = methods.map { method in
      """
        \(memberAccess)\(method.declaration) {
          \(call(of: method))
        }
      """
    }
    return """
      /// Sends what \(name) says, and is a \(name) itself.
      \(availability)\(access)struct \(name)Sender: \(name) {
        private let _wire: BatonChain.ChainWire

        /// Sends to `chain`. An answer may take `timeout`, or as long as the server allows. `onError` gets what
        /// methods that do not throw cannot tell their callers.
        \(memberAccess)init(
          _ client: BatonClient.Client, chain: Swift.String = "main", timeout: Swift.Duration? = nil,
          onError: @escaping @Sendable (any Swift.Error) -> Swift.Void = { BatonChain.ChainWire.complain($0) }
        ) {
          self._wire = BatonChain.ChainWire(client, chain: chain, timeout: timeout, onError: onError)
        }

      \((methods + structs("Encodable")).joined(separator: "\n\n"))
      }
      """
  }

  /// The type that calls the methods of a value.
  var handler: String {
    let topics = methods.map { "\"\(topic($0))\"" }.joined(separator: ", ")
    let cases = methods.map { method in
      """
          case "\(topic(method))":
      \(serving(method).map { "      " + $0 }.joined(separator: "\n"))
      """
    }
    let structs = structs("Decodable").map { "\n\n" + $0 }.joined()
    return """
      /// Hands the messages of \(name) to a value, and answers for it.
      \(availability)\(access)struct \(name)Handler: BatonClient.Handling {
        private let _served: any \(name)

        /// The topics of \(name).
        \(memberAccess)let accepts: [Swift.String] = [\(topics)]

        \(memberAccess)init(_ served: any \(name)) { self._served = served }

        \(memberAccess)func verdict(on message: BatonClient.Message) async throws -> BatonClient.Verdict {
          switch message.topic {
      \(cases.joined(separator: "\n"))
          default: return .continue
          }
        }\(structs)
      }
      """
  }

  private func topic(_ method: ChainMethod) -> String { "\(prefix).\(method.name)" }

  /// The line of the sender's method.
  private func call(of method: ChainMethod) -> String {
    var arguments = "\"\(topic(method))\""
    if method.isPayload {
      arguments += ", \(method.parameters[0].name)"
    } else if !method.parameters.isEmpty {
      let members = method.parameters.map { "\($0.member.label): \($0.name)" }
      arguments += ", _Members_\(method.name)(\(members.joined(separator: ", ")))"
    }
    if let answer = method.answer { return "try await self._wire.ask(\(arguments), for: \(answer).self)" }
    return method.isThrowing ? "try await self._wire.tell(\(arguments))" : "await self._wire.tellAnyway(\(arguments))"
  }

  /// What the handler does with a message.
  private func serving(_ method: ChainMethod) -> [String] {
    var lines: [String] = []
    var arguments = ""
    if method.isPayload {
      lines.append("let payload = try message.decode(\(parenthesized(method.parameters[0].type)).self)")
      arguments = "payload"
    } else if !method.parameters.isEmpty {
      lines.append("let payload = try message.decode(_Members_\(method.name).self)")
      arguments = method.parameters.map { "\($0.label)payload.\($0.member.declarable)" }.joined(separator: ", ")
    }
    let call = "\(method.isThrowing ? "try " : "")await self._served.\(method.name.declarable)(\(arguments))"
    if method.answer != nil {
      lines.append("guard let answer = \(call) else { return .continue }")
      lines.append("return .handled(try BatonClient.Payload(answer))")
    } else {
      lines += [call, "return .continue"]
    }
    return lines
  }

  /// The payloads with members, for the methods that have them.
  private func structs(_ conformance: String) -> [String] {
    methods.filter { !$0.isPayload && !$0.parameters.isEmpty }.map { method in
      let members = method.parameters.map { "    let \($0.member.declarable): \($0.type)" }
      return """
          private struct _Members_\(method.name): Swift.\(conformance) {
        \(members.joined(separator: "\n"))
          }
        """
    }
  }

  private func parenthesized(_ type: String) -> String { type.contains { " &".contains($0) } ? "(\(type))" : type }
}
