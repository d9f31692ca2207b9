import BatonClient
import BatonCore

extension Client {
  /// Whether the server tells this program how messages walk down a chain.
  func maySee(_ chain: String) async -> Bool {
    guard let may = await may else { return true }
    guard let asked = try? Right(parsing: "see \(chain)") else { return false }
    return may.compactMap { try? Right(parsing: $0) }.allowing(asked) != nil
  }

  /// What is said where there is nothing to be shown: these words, unless this program may see no chain at all.
  func words(forNothing words: String) async -> String {
    await maySeeSomeChain ? words : "You may see no chain; the right would be: see CHAIN"
  }

  /// Whether this program may see any chain at all.
  var maySeeSomeChain: Bool {
    get async {
      guard let may = await may else { return true }
      return may.compactMap { try? Right(parsing: $0) }.contains {
        $0.kind == .everything || ($0.kind == .see || $0.kind == .manage) && !$0.isServer
      }
    }
  }
}
