import BatonClient
import BatonCore

extension Client {
  /// Whether the server tells this program how messages walk down a chain.
  func maySee(_ chain: String) async -> Bool {
    guard let may = await may else { return true }
    guard let asked = try? Right(parsing: "see \(chain)") else { return false }
    return may.compactMap { try? Right(parsing: $0) }.allowing(asked) != nil
  }
}
