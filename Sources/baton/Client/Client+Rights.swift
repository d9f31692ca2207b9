import BatonClient
import BatonCore

extension Client {
  /// Whether the server tells this program how messages walk down a chain.
  func maySee(_ chain: String) async -> Bool {
    guard let may = await may else { return true }
    guard let asked = try? Right(parsing: "see \(chain == "server" ? "server*" : chain)") else { return false }
    return may.compactMap { try? Right(parsing: $0) }.allowing(asked) != nil
  }

  /// Throws an error if a right is missing to see a chain, or any chain if none is named. It is asked where there is nothing
  /// to show: an empty table would say that there is nothing.
  func requireSight(of chain: String? = nil) async throws(BatonError) {
    let isSeen = if let chain { await maySee(chain) } else { await maySeeSomeChain }
    guard !isSeen else { return }
    let what = chain.map { "the chain \($0.displaySafe)" } ?? "any chain"
    let right = chain.map { "see \($0 == "server" ? "server*" : $0)" } ?? "see CHAIN"
    throw .refused(code: "not_allowed", message: "you may not see \(what); the right that is missing: \(right)")
  }

  /// Whether the server tells this program of itself.
  var maySeeServer: Bool { get async { await hasRight { $0.kind == .see && $0.isServer } } }

  /// Whether this program may see any chain at all.
  var maySeeSomeChain: Bool {
    get async { await hasRight { [.see, .manage].contains($0.kind) && !$0.isServer } }
  }

  /// Whether this program has such a right, or every right there is.
  private func hasRight(_ fits: (Right) -> Bool) async -> Bool {
    guard let may = await may else { return true }
    return may.compactMap { try? Right(parsing: $0) }.contains { $0.kind == .everything || fits($0) }
  }
}
