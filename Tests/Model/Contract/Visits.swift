/// The chains that a message has entered, in that order, and to which of them it came through declared mounts only
/// (contract, section 5, "Mounting").
struct Visits {
  private(set) var chains: [String] = []
  private var byFile: Set<String> = []

  func contains(_ chain: String) -> Bool { chains.contains(chain) }
  func isByFile(_ chain: String) -> Bool { byFile.contains(chain) }

  mutating func enter(_ chain: String, isByFile: Bool) {
    if !chains.contains(chain) { chains.append(chain) }
    if isByFile { byFile.insert(chain) }
  }
}

extension Model {
  /// Whether a message enters a chain through a mount. It does once; and once more through declared mounts only, if it
  /// came there through a peer's mount before.
  func enters(_ chain: String, isByFile: Bool, _ visits: Visits) -> Bool {
    !visits.contains(chain) || isByFile && !visits.isByFile(chain) && keeps(.fileEntersAgain)
  }

  /// Whether it then came there through declared mounts only. `isBefore` says it of the chain with the mount.
  func isByFile(_ isDeclared: Bool, _ isBefore: Bool) -> Bool {
    isDeclared && (isBefore || !keeps(.peersWayIsNotTheFiles))
  }
}
