import BatonClient

/// One thing that the doctor has checked.
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
  /// What was checked.
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

  /// Why the server could not be checked.
  init(unreached error: BatonError, at place: String) {
    switch error {
    case .refused(let code, let message):
      self.init(
        .wrong, "server", "the server at \(place) refuses: \(message) (\(code))", remedy: Finding.remedy(for: code))
    case .notAPlace: self.init(.wrong, "server", error.description, remedy: "give another place with --server")
    default:
      self.init(
        .wrong, "server", "\(place): \(error.description)",
        remedy: "start one with baton serve, or give its place with --server or BATON_SERVER")
    }
  }

  private static func remedy(for code: String) -> String {
    switch code {
    case "draining": "wait until it is back, or give another place with --server"
    case "too_many_connections": "close some, or allow more: ulimit -n, and baton serve --set max_connections=N"
    default: "read the server's log"
    }
  }
}
