import BatonModel

/// What can happen in a world: one call for the core and one for the model.
enum Step {
  case open
  /// A peer sends some lines at once.
  case lines(Int, [Asked])
  /// A peer sends this many bytes of a line.
  case beginning(Int, Asked, Int)
  /// The peer reads at most this many bytes.
  case reads(Int, Int)
  case halfClose(Int)
  case close(Int)
  case drain
  /// The operator changes the file. It is read anew at once, or when a peer asks for that.
  case edit([Entry]?, [Declaration], isRead: Bool)
  /// The operator changes settings in the file, which is read anew at once.
  case limit(Settings)
  /// This many milliseconds pass.
  case pass(Int)

  var description: String {
    switch self {
    case .limit(let settings):
      "the file says max_open_messages \(settings.maxOpenMessages), max_open_bytes \(settings.maxOpenBytes), "
        + "max_total_bytes \(settings.maxTotalBytes), max_queue_messages \(settings.maxQueueMessages), "
        + "max_patterns \(settings.maxPatterns), max_connections \(settings.maxConnections), max_links \(settings.maxLinks)"
    case .edit(let entries, let chains, let isRead):
      "the file says \(chains.map { "\($0.chain) \($0.isOpen ? "open" : "") \($0.links)" }) and \((entries ?? []).map { "\($0.name) \($0.tokens) \($0.users) may \($0.may) \($0.limits)" }), \(isRead ? "and is read" : "")"
    case .open: "a peer connects"
    case .lines(let connection, let asked):
      "#\(connection + 1) → \(asked.map(\.line).joined(separator: "\n          and "))"
    case .beginning(let connection, let asked, let count):
      "#\(connection + 1) → \(count) bytes of \(asked.line)"
    case .reads(let connection, let count): "#\(connection + 1) reads \(count) bytes at most"
    case .halfClose(let connection): "#\(connection + 1) half-closes"
    case .close(let connection): "#\(connection + 1) closes"
    case .drain: "the server is to go"
    case .pass(let milliseconds): "\(milliseconds) ms pass"
    }
  }
}
