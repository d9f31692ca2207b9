internal import UV

/// Why the server cannot be made, in one line that says what to do.
public struct StartError: Error, CustomStringConvertible {
  /// The line.
  public let description: String

  init(_ error: UVError) {
    description = "the server cannot start: \(error); " + StartError.advice(for: error)
  }

  /// What to do about an error that is not about an address.
  static func advice(for error: UVError) -> String {
    error.isShortage ? "raise the limits of files (ulimit -n) and memory" : "the system does not let it wait for events"
  }
}
