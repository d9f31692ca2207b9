import ArgumentParser
import BatonModel
import WorldKit

/// Many worlds. The run stops at the first difference. It also fails if something happened too seldom.
struct Run {
  let firstSeed: UInt64
  let steps: Int

  /// Coverage is judged from this many worlds on: what happens in fewer than one of a hundred is too seldom.
  private static let worldsToJudge = 300

  func carryOut() throws {
    var beyond = 0
    let start = Clock.milliseconds
    var counts = Array(repeating: 0, count: Seen.table.count)
    var (done, worlds) = (0, 0)
    while done < steps {
      let seed = firstSeed + UInt64(worlds)
      Alarm.watch(seed)
      let world = World(seed: seed)
      world.run()
      if let difference = world.difference { throw fail(seed, difference) }
      for (index, row) in Seen.table.enumerated() where world.seen.contains(row.bit) { counts[index] += 1 }
      if world.isBeyondModel { beyond += 1 }
      done += world.steps
      worlds += 1
    }
    let elapsed = max(1, Clock.milliseconds - start)
    printCoverage(counts, of: worlds)
    if beyond > 0 { print("\(beyond) of them were left when one turn had no room for all timers") }
    print("\(worlds) worlds from seed \(firstSeed) on, \(done) steps in \(elapsed) ms; core and model agree")
    let seldom = Seen.table.indices.filter { counts[$0] * 100 < worlds }
    if worlds >= Self.worldsToJudge, !seldom.isEmpty {
      print("too seldom: \(seldom.map { Seen.table[$0].name }.joined(separator: ", "))")
      throw ExitCode.failure
    }
  }

  private func fail(_ seed: UInt64, _ difference: World.Difference) -> ExitCode {
    print("seed \(seed)")
    difference.tell()
    print("the last steps:")
    Replay(seed: seed).printLast(40)
    print("replay: swift run -c release baton-model --seed \(seed)")
    return .failure
  }

  private func printCoverage(_ counts: [Int], of worlds: Int) {
    print("share of the worlds in which it happened:")
    for (row, count) in zip(Seen.table, counts) {
      let tenths = count * 1000 / max(1, worlds)
      let share = String(repeating: " ", count: max(0, 3 - String(tenths / 10).count)) + "\(tenths / 10).\(tenths % 10)"
      print("  \(share) %  \(row.name)")
    }
  }
}

extension World.Difference {
  func tell() {
    let there = Saying.difference(core, model)
    print("step \(step): core and model differ in a line to #\(connection + 1)")
    print("  core:  \(core)")
    print("  model: \(model)")
    print("  there, the core:  \(there.core)")
    print("  there, the model: \(there.model)")
  }
}

/// One world again, with a log.
struct Replay {
  let seed: UInt64
  var plant: Plant?

  func carryOut() throws {
    let world = World(seed: seed, broken: plant?.rule, fault: plant?.fault) { print($0) }
    world.run()
    guard let difference = world.difference else {
      return print("world \(seed): \(world.steps) steps; core and model agree")
    }
    difference.tell()
    throw ExitCode.failure
  }

  func printLast(_ count: Int) {
    var lines: [String] = []
    World(seed: seed) { lines.append($0) }.run()
    for line in lines.suffix(count) { print("  \(line.prefix(400))") }
  }
}

/// What can be planted: a rule that the model breaks, or a fault at the core's door.
struct Plant {
  var rule: Rule?
  var fault: Fault?

  var name: String { rule?.rawValue ?? fault?.rawValue ?? "" }

  static let all = Rule.allCases.map { Plant(rule: $0) } + Fault.allCases.map { Plant(fault: $0) }
}

/// Worlds with one thing planted in each, until the comparison finds it.
struct PlantedRun {
  let plant: Plant
  let firstSeed: UInt64

  /// If a fault is not found in this many worlds, the run fails.
  private static let worlds = 2000

  func isFound() -> Bool {
    for index in 0..<Self.worlds {
      let seed = firstSeed + UInt64(index)
      Alarm.watch(seed)
      let world = World(seed: seed, broken: plant.rule, fault: plant.fault)
      world.run()
      guard let difference = world.difference else { continue }
      print("\(plant.name): found with seed \(seed), world \(index + 1), step \(difference.step)")
      return true
    }
    print("\(plant.name): NOT found in \(Self.worlds) worlds")
    return false
  }
}
