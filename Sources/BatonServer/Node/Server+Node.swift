internal import BatonCore
package import BatonLasting
internal import UV

/// A server that is a node of a cluster. Without one, nothing of this is there.
extension Server {
  /// Lets the server be a spare until its node leads. It is called once, before the server runs. `openStore` opens the store for a
  /// server that leads; `startAnew` starts the process itself again, as it was started.
  package func join(
    as name: String, by engine: any NodeEngine, openStore: @escaping () throws -> Void,
    startAnew: @escaping () -> Never
  ) throws(StartError) {
    do throws(UVError) {
      let node = try ServerNode(name, engine, of: self, openStore: openStore, startAnew: startAnew)
      self.node = node
      try callInEachTurn { [unowned self] in self.node?.turn() }
      guard node.begin() else { throw UVError.noThread }
    } catch {
      throw StartError(error)
    }
  }

  /// Whether the process is to start itself anew, for another node is to lead and this one goes on as a spare.
  package var startsAnew: Bool { (node?.goesOnAsSpare ?? false) && !isToldToEnd }

  /// The operator's file says this now.
  package func tellNode(digest: String, nodes: [String: String], pages: [String: String]) {
    node?.tell(digest: digest, nodes: nodes, pages: pages)
  }

  /// What is known of all nodes; nil without a cluster.
  package var nodesSight: NodesSight? { node?.news.sight }
}
