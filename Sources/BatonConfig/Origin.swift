/// Where a value comes from. Of the default, the file, the environment and the options, what stands later wins.
public enum Origin: Hashable, Sendable, CustomStringConvertible {
  /// Nobody said anything.
  case byDefault
  /// The configuration file as a whole.
  case whole(String)
  /// The configuration file, at this place.
  case file(String, FilePlace)
  /// A variable of the environment, by its name.
  case environment(String)
  /// An option of the command line, as it is written: `--set`.
  case flag(String)

  /// `default`, `FILE:LINE:COLUMN`, the variable or the option.
  public var description: String {
    switch self {
    case .byDefault: "default"
    case .whole(let path): path
    case .file(let path, let place): "\(path):\(place)"
    case .environment(let name), .flag(let name): name
    }
  }
}

/// A value, and where it comes from.
public struct Sourced<Value: Sendable>: Sendable {
  /// The value.
  public var value: Value
  /// Who says it.
  public var origin: Origin

  /// A value with its origin.
  public init(_ value: Value, from origin: Origin) {
    self.value = value
    self.origin = origin
  }
}

extension Sourced: Equatable where Value: Equatable {}
