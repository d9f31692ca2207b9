import FuzzKit
import Testing

@testable import BatonCore

/// The trees that order and count.
@Suite struct OrderTreeTests {
  /// Two trees of one `OrderTree`, and the same in arrays. The elements are their own keys.
  private struct Twins: ~Copyable {
    var tree = OrderTree<Int>()
    var roots = [Slot<OrderNode>.nobody, .nobody]
    var models: [[(key: UInt32, node: Slot<OrderNode>, weight: Int)]] = [[], []]

    mutating func insert(_ key: UInt32, into which: Int, weight: Int) {
      let behind = tree.firstNode(roots[which]) { $0.index > key }
      let node = tree.insert(Slot(key), before: behind, into: &roots[which], weight: weight)
      let at = models[which].firstIndex { $0.key > key } ?? models[which].count
      models[which].insert((key, node, weight), at: at)
    }

    mutating func remove(at: Int, from which: Int) {
      tree.remove(models[which].remove(at: at).node, from: &roots[which])
    }

    mutating func setWeight(at: Int, of which: Int, to weight: Int) {
      tree.setWeight(models[which][at].node, to: weight)
      models[which][at].weight = weight
    }

    /// What differs between a tree and its array, in words; nil if they are the same.
    func difference(in which: Int) -> String? {
      let (root, model) = (roots[which], models[which])
      guard tree.count(root) == model.count else { return "count" }
      guard tree.totalWeight(root) == model.reduce(0, { $0 + $1.weight }) else { return "total weight" }
      guard tree.first(root) == model.first?.node ?? .nobody else { return "first" }
      guard tree.last(root) == model.last?.node ?? .nobody else { return "last" }
      var before = 0
      for (at, entry) in model.enumerated() {
        guard tree.element(entry.node).index == entry.key else { return "element \(at)" }
        guard tree.position(entry.node) == at else { return "position \(at)" }
        guard tree.weightBefore(entry.node) == before else { return "weight before \(at)" }
        guard tree.next(entry.node) == (at + 1 < model.count ? model[at + 1].node : .nobody) else {
          return "next \(at)"
        }
        guard tree.previous(entry.node) == (at > 0 ? model[at - 1].node : .nobody) else { return "previous \(at)" }
        let next = model[(at + 1)...].first { $0.weight == 1 }?.node ?? .nobody
        guard tree.nextWeighted(entry.node, in: root) == next else { return "next weighted \(at)" }
        let previous = model[..<at].last { $0.weight == 1 }?.node ?? .nobody
        guard tree.previousWeighted(entry.node, in: root) == previous else { return "previous weighted \(at)" }
        if entry.weight == 1 {
          guard tree.weightedNode(root, at: before) == entry.node else { return "weighted node \(before)" }
        }
        before += entry.weight
      }
      guard tree.weightedNode(root, at: before) == .nobody, tree.weightedNode(root, at: -1) == .nobody else {
        return "weighted node beyond the end"
      }
      for key in UInt32(0)...66 {
        let found = tree.firstNode(root) { $0.index >= key }
        guard found == model.first(where: { $0.key >= key })?.node ?? .nobody else { return "first node \(key)" }
      }
      return nil
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func keepsWhatAnArrayKeeps(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var twins = Twins()
    for step in 0..<1500 {
      let which = Int.random(in: 0...1, using: &generator)
      let count = twins.models[which].count
      // The trees grow, then shrink until they are empty.
      let grows = step < 700 ? 70 : 35
      let dice = Int.random(in: 0..<100, using: &generator)
      if dice < grows || count == 0 {
        let weight = Int.random(in: 0..<3, using: &generator) == 0 ? 0 : 1
        twins.insert(UInt32.random(in: 0...64, using: &generator), into: which, weight: weight)
      } else {
        let at = Int.random(in: 0..<count, using: &generator)
        if dice % 5 == 0 {
          twins.setWeight(at: at, of: which, to: dice % 2)
        } else {
          twins.remove(at: at, from: which)
        }
      }
      if step % 10 == 0 || step > 1400 {
        let difference = twins.difference(in: which)
        #expect(difference == nil, "step \(step)")
      }
    }
    for which in 0...1 {
      while !twins.models[which].isEmpty { twins.remove(at: 0, from: which) }
      let difference = twins.difference(in: which)
      #expect(difference == nil)
    }
    let left = twins.tree.count
    #expect(left == 0)
  }

  /// Elements that arrive in order are the usual case, and the worst one for a tree without balance. The number of
  /// comparisons shows the depth.
  @Test(arguments: ["back", "front", "zigzag"])
  func staysShallow(arrival: String) {
    var tree = OrderTree<Int>()
    var root = Slot<OrderNode>.nobody
    let count = UInt32(20_000)
    for number in 0..<count {
      let key =
        switch arrival {
        case "back": number
        case "front": count - number
        default: number % 2 == 0 ? number / 2 : count - number / 2
        }
      _ = tree.insert(Slot(key), before: tree.firstNode(root) { $0.index >= key }, into: &root)
    }
    var deepest = 0
    for key in 0...count {
      var depth = 0
      _ = tree.firstNode(root) {
        depth += 1
        return $0.index >= key
      }
      deepest = max(deepest, depth)
    }
    #expect(deepest <= 2 * 15)
    // Only the last third stays. The tree gets shallower.
    for _ in 0..<(count / 3 * 2) { tree.remove(tree.first(root), from: &root) }
    let kept = tree.count(root)
    #expect(kept == 20_000 - 13_332)
  }

  @Test func goesBeforeANode() {
    var tree = OrderTree<Int>()
    var root = Slot<OrderNode>.nobody
    let last = tree.insert(9, before: .nobody, into: &root)
    for number in UInt32(0)..<9 { _ = tree.insert(Slot(number), before: last, into: &root) }
    _ = tree.insert(10, before: .nobody, into: &root)
    var elements: [UInt32] = []
    var at = tree.first(root)
    while at != .nobody {
      elements.append(tree.element(at).index)
      at = tree.next(at)
    }
    #expect(elements == Array(0...10))
  }
}
