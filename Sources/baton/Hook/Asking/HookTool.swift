/// Which tool is called: the agent's own, or one of an MCP server.
struct HookTool {
  let name: String
  /// Nil: the agent's own tool. Nil within: a server that the agent does not tell.
  let server: String??

  init(_ name: String, _ question: JSONTree, _ agent: HookAgent) throws(HookQuestion.Fault) {
    switch agent.naming {
    case .none: (self.name, server) = (name, .none)
    case .marked:
      guard name.hasPrefix("MCP:") else {
        (self.name, server) = (name, .none)
        break
      }
      (self.name, server) = (try HookTool.filled(name.dropFirst(4)), .some(nil))
    case .context:
      let context = question["mcp_context"]
      if let context {
        guard let server = context["server_name"]?.text, let tool = context["tool_name"]?.text else {
          throw HookQuestion.Fault(words: "\"mcp_context\" does not name a server and a tool")
        }
        (self.name, self.server) = (try HookTool.filled(tool[...]), .some(server))
      } else if name.hasPrefix("mcp_") {
        throw HookQuestion.Fault(words: "an MCP tool has no \"mcp_context\", so its server is not known")
      } else {
        (self.name, server) = (name, .none)
      }
    case .doubled: (self.name, server) = try HookTool.doubled(name, question["mcp_server"])
    }
  }

  /// `mcp__SERVER__TOOL`.
  private static func doubled(
    _ name: String, _ told: JSONTree?
  ) throws(HookQuestion.Fault) -> (String, String??) {
    let start = "mcp__"
    guard name.hasPrefix(start) else {
      if told != nil { throw HookQuestion.Fault(words: "\"mcp_server\" names a server, and the tool is none of MCP") }
      return (name, .none)
    }
    let rest = name.dropFirst(start.count)
    if let told {
      guard let server = told["name"]?.text else {
        throw HookQuestion.Fault(words: "\"mcp_server\" names no server")
      }
      // As the agent spells a server in a tool's name.
      let spelled = String(
        server.unicodeScalars.map { isPlain($0) ? Character($0) : "_" })
      guard rest.hasPrefix(spelled + "__") else {
        throw HookQuestion.Fault(words: "the tool \(name) is none of the server \(server)")
      }
      return (try filled(rest.dropFirst(spelled.count + 2)), .some(server))
    }
    let bytes = Array(rest.utf8)
    let places = bytes.indices.dropLast().filter {
      bytes[$0] == UInt8(ascii: "_") && bytes[$0 + 1] == UInt8(ascii: "_")
    }
    guard places.count == 1, let place = places.first, place > 0 else {
      throw HookQuestion.Fault(words: "the name \(name) may mean more than one server and tool")
    }
    let server = String(decoding: bytes[..<place], as: UTF8.self)
    return (try filled(String(decoding: bytes[(place + 2)...], as: UTF8.self)[...]), .some(server))
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_" || scalar == "-")
  }

  private static func filled(_ name: Substring) throws(HookQuestion.Fault) -> String {
    if name.isEmpty { throw HookQuestion.Fault(words: "the tool has no name") }
    return String(name)
  }

  /// `tool.agent.NAME` or `tool.mcp.SERVER.NAME`.
  func topic() throws(HookQuestion.Fault) -> String {
    guard let server else { return "tool.agent.\(try HookTool.word(name))" }
    return
      "tool.mcp.\(try server.map { name throws(HookQuestion.Fault) in try HookTool.word(name) } ?? "~").\(try HookTool.word(name))"
  }

  /// A name as one word of a topic: no two names have the same one.
  private static func word(_ name: String) throws(HookQuestion.Fault) -> String {
    let digits = Array("0123456789abcdef".unicodeScalars)
    var word = String.UnicodeScalarView()
    for byte in name.utf8 {
      let scalar = Unicode.Scalar(byte)
      if isPlain(scalar) {
        word.append(scalar)
      } else {
        word += ["~", digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    guard (1...96).contains(word.count) else {
      throw HookQuestion.Fault(
        words: word.isEmpty ? "a name is empty" : "the name \(name.prefix(60))… is too long for a topic")
    }
    return String(word)
  }
}
