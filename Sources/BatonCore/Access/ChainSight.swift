/// Which chains somebody may see, at one moment: for what is told of them over some time.
package struct ChainSight: Sendable {
  /// The names that rights to `see` mean; nil: all.
  private let names: [NamePattern]?

  /// `nobody` sees none.
  package static let nobody = ChainSight(names: [])
  package static let all = ChainSight(names: nil)

  private init(names: [NamePattern]?) { self.names = names }

  init(of rights: [Right]) {
    names = rights.filter { $0.kind == .see && !$0.isServer }.compactMap(\.chain)
  }

  package func sees(_ chain: some Collection<UInt8>) -> Bool {
    guard let names else { return true }
    return names.contains { name in name.isPrefix ? chain.starts(with: name.text) : chain.elementsEqual(name.text) }
  }
}
