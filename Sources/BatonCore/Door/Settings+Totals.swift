/// A limit on what all peers take together. These limits say how much memory the server may take.
public struct TotalLimit: Sendable {
  /// The name of the setting.
  public let name: String
  /// The property of `Settings` that has the value.
  public let path: any WritableKeyPath<Settings, Int> & Sendable
  /// The bytes of memory for which one unit of the setting stands, about.
  public let bytesEach: Int
  /// Whether the setting counts bytes.
  public var isBytes: Bool { bytesEach == 1 }

  init(_ name: String, _ path: any WritableKeyPath<Settings, Int> & Sendable, bytesEach: Int = 1) {
    self.name = name
    self.path = path
    self.bytesEach = bytesEach
  }
}

extension Settings {
  /// The limits on what all peers take together, in the order of `Settings.table`. The server lowers them at its start
  /// if there is little memory, and `inspect` tells them. A pattern of eight words that no other pattern has was measured:
  /// it takes 1,600 bytes.
  public static let totals: [TotalLimit] = [
    TotalLimit("max_total_bytes", \.maxTotalBytes),
    TotalLimit("max_total_unsent_bytes", \.maxTotalUnsentBytes),
    TotalLimit("max_unfinished_bytes", \.maxUnfinishedBytes),
    TotalLimit("max_total_patterns", \.maxTotalPatterns, bytesEach: 1600),
    TotalLimit("max_retained_bytes", \.maxRetainedBytes),
    TotalLimit("max_history_bytes", \.maxHistoryBytes),
    TotalLimit("max_cached_bytes", \.maxCachedBytes),
  ]

  /// Their values now.
  var totalsInForce: [(name: String, value: Int)] { Settings.totals.map { ($0.name, self[keyPath: $0.path]) } }
}
