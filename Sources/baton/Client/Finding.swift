import BatonClient

/// One thing that the doctor has looked at.
struct Finding {
  /// How bad it is.
  enum Weight {
    case ok, note, wrong

    /// What stands before it for people.
    var mark: String {
      switch self {
      case .ok: Paint.output("✓", .green)
      case .note: Paint.output("!", .yellow)
      case .wrong: Paint.output("✗", .red)
      }
    }
  }

  let weight: Weight
  /// What was looked at.
  let subject: String
  /// What was found.
  let text: String
  /// What to do.
  var remedy: String?

  init(_ weight: Weight, _ subject: String, _ text: String, remedy: String? = nil) {
    self.weight = weight
    self.subject = subject
    self.text = text
    self.remedy = remedy
  }

  /// Why there is nothing to look at.
  init(unreached error: BatonError, at place: String) {
    switch error {
    case .refused(let code, let message):
      self.init(
        .wrong, "server", "it is at \(place), but refuses: \(message) (\(code))", remedy: Finding.remedy(for: code))
    case .notAPlace: self.init(.wrong, "server", error.description, remedy: "name another with --server")
    default:
      self.init(
        .wrong, "server", "\(place): \(error.description)",
        remedy: "start one with baton serve, or name its place with --server or BATON_SERVER")
    }
  }

  private static func remedy(for code: String) -> String {
    switch code {
    case "draining": "wait until it is back, or name another with --server"
    case "too_many_connections": "close some, or give it more: ulimit -n, and baton serve --set max_connections=N"
    default: "its log says more"
    }
  }
}
