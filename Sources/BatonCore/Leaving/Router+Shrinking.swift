/// Tables give back what only larger ones need. They do so themselves while elements come and go; when much has gone and
/// nothing comes, a job does it, in pieces.
extension Router {
  /// A connection has left. If it left tables too long, a job shortens them.
  mutating func shrinkLater() {
    guard !isShrinking, areTablesTooLong else { return }
    isShrinking = true
    beginJob(.shrink)
  }

  private var areTablesTooLong: Bool {
    mutating get {
      connections.isTooLong || links.isTooLong || replicas.isTooLong || walks.isTooLong || offers.isTooLong
        || copies.isTooLong || timers.isTooLong
    }
  }

  /// Shortens each of the large tables a little. Returns true if more is left.
  mutating func shrinkFurther() -> Bool {
    let are = [
      connections.shrink(), links.shrink(), replicas.shrink(), walks.shrink(), offers.shrink(), copies.shrink(),
      timers.shrink(),
    ]
    spent &+= Cost.step * are.count * 4
    isShrinking = are.contains(true)
    return isShrinking
  }

  /// The bytes of the large tables, for tests.
  package var tableMemory: Int {
    mutating get {
      connections.memory + links.memory + replicas.memory + walks.memory + offers.memory + copies.memory + timers.memory
    }
  }
}
