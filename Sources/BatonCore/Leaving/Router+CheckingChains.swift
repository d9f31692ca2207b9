/// A mount of the operator's file that cannot be made now.
public struct DeclarationConflict: Equatable, Sendable {
  /// The chain with the mount.
  public let chain: String
  /// The chain that would be mounted.
  public let mount: String
  /// What is wrong, and how to mend it.
  public let message: String
}

/// Looks whether what the operator's file says about chains fits to what peers have made (contract, section 12). The file
/// alone has no circle.
extension Router {
  /// The mounts of the file that would close a circle with mounts of peers, in the order of the file. Nothing changes. It
  /// costs a few steps for each mount.
  public mutating func conflicts(with declarations: [ChainDeclaration]) -> [DeclarationConflict] {
    let declared = Dictionary(uniqueKeysWithValues: declarations.map { ($0.chain, $0) })
    var done: Set<String> = []
    var conflicts: [DeclarationConflict] = []
    for declaration in declarations where declaration.links.contains(where: \.isMount) {
      var path = [(chain: declaration.chain, mounts: mounts(of: declaration.chain, declared))]
      var open: Set = [declaration.chain]
      while let last = path.indices.last {
        guard let next = path[last].mounts.popLast() else {
          open.remove(path[last].chain)
          done.insert(path.removeLast().chain)
          continue
        }
        if open.contains(next) {
          let circle = path.map(\.chain).drop { $0 != next } + [next]
          if conflicts.last?.chain != declaration.chain { conflicts.append(Router.conflict(declaration, circle)) }
        } else if !done.contains(next) {
          open.insert(next)
          path.append((next, mounts(of: next, declared)))
        }
      }
    }
    return conflicts
  }

  /// The chains that would be mounted in a chain, the last first.
  private mutating func mounts(of chain: String, _ declared: [String: ChainDeclaration]) -> [String] {
    let declaration = declared[chain]
    var names = declaration?.links.filter(\.isMount).map(\.name) ?? []
    let bytes = OwnedBytes(chain)
    defer { extendLifetime(bytes) }
    guard declaration?.isOpen ?? true, let slot = findChain(bytes.bytes) else { return names.reversed() }
    let taken = Set(declaration?.links.map(\.name) ?? [])
    for link in chains[slot].mounts where !links[link].isDeclared && !taken.contains(links[link].name.string) {
      names.append(links[link].name.string)
    }
    return names.reversed()
  }

  private static func conflict(_ declaration: ChainDeclaration, _ circle: some Collection<String>)
    -> DeclarationConflict
  {
    let mount =
      declaration.links.first { $0.isMount && circle.contains($0.name) } ?? declaration.links.first(where: \.isMount)
    return DeclarationConflict(
      chain: declaration.chain, mount: mount?.name ?? "",
      message:
        "with the mounts that peers have made there would be a circle: \(circle.joined(separator: " → ")); unmount "
        + "one of them first")
  }
}
