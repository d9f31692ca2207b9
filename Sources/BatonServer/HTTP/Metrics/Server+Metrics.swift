internal import BatonCore

extension Server {
  /// Adds the next piece of a report of `/metrics` to `page`, which should be empty. Returns true if it was the last
  /// one.
  func addMetrics(from cursor: inout MetricsCursor, to page: inout [UInt8]) -> Bool {
    MetricsPages.add(to: &page, from: &cursor, of: &router.pointee, node: node?.figures ?? [], at: now)
  }
}
