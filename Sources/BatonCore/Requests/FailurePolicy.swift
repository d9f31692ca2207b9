/// A link's failure policy: the causes that end the walk with `failed`. After any other cause the walk goes on to the
/// next link.
public struct FailurePolicy: Equatable, Sendable {
  /// One bit for each cause that ends the walk.
  private var stops: UInt8 = 0

  /// Every cause lets the walk go on.
  public static let goOn = FailurePolicy()
  /// Every cause ends the walk.
  public static let stop = FailurePolicy(stops: 0b11111)

  private init(stops: UInt8 = 0) { self.stops = stops }

  /// Whether the cause ends the walk.
  public subscript(cause: Cause) -> Bool {
    get { stops & (1 << cause.rawValue) != 0 }
    set {
      if newValue { stops |= 1 << cause.rawValue } else { stops &= ~(1 << cause.rawValue) }
    }
  }
}
