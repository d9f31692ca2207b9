public import UV

/// One place at which the server shall listen, and what says so.
public struct ListeningEntry: Sendable {
  /// The place. A name may stand there, and port 0 takes a free port.
  public var endpoint: Endpoint
  /// What is said beside it.
  public var extras: ListeningOptions
  /// With which option the program was given the place, or where it stands in the file.
  public var options: ListenError.Options
  /// Whether the server goes on without the place if it cannot listen there: nobody has named it.
  public var mayBeMissing = false

  /// A place.
  public init(_ endpoint: Endpoint, _ extras: ListeningOptions, givenWith options: ListenError.Options) {
    self.endpoint = endpoint
    self.extras = extras
    self.options = options
  }
}
