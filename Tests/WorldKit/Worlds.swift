/// The command of a simulator whose worlds are made from their seeds alone: worlds one after the other, one again, or worlds
/// with planted faults. What is broken stands on standard output.
package struct Worlds<Fault: CaseIterable & RawRepresentable> where Fault.RawValue == String {
  /// A promise that a world broke.
  package typealias Broken = (promise: String, detail: String)

  /// The program's name, and the steps of a world.
  let command: String
  let steps: Int
  /// What more than `enough` worlds have to come to.
  let mustReach: [String]
  let enough: Int
  /// In so many worlds a planted fault has to be found.
  let mostPlanted: Int
  /// The promises of which a fault breaks one: whatever else is found is not it.
  let breaks: (Fault) -> [String]
  /// Lives through the world of a seed, perhaps with a fault and a log, and adds what it reached.
  let live: (UInt64, inout [String: Int], Fault?, Bool) -> Broken?

  package init(
    command: String, steps: Int, mustReach: [String], enough: Int, mostPlanted: Int,
    breaks: @escaping (Fault) -> [String],
    live: @escaping (UInt64, inout [String: Int], Fault?, Bool) -> Broken?
  ) {
    self.command = command
    self.steps = steps
    self.mustReach = mustReach
    self.enough = enough
    self.mostPlanted = mostPlanted
    self.breaks = breaks
    self.live = live
  }

  /// Does what the options say. Returns false if a promise is broken, nothing was broken by a fault, or worlds miss something.
  package func run(seconds: Int, seed: UInt64?, plant: String?) -> Bool {
    if let seed { return replay(seed, plant.flatMap(Fault.init(rawValue:))) }
    if let plant { return find(plant) }
    let end = Clock.milliseconds + seconds * 1000
    var (seed, reached): (UInt64, [String: Int]) = (0, [:])
    while Clock.milliseconds < end {
      seed += 1
      if let broken = live(seed, &reached, nil, false) {
        print("world \(seed): \(broken.promise) is broken: \(broken.detail)")
        print("replay: \(command) --seed \(seed) --steps \(steps)")
        return false
      }
    }
    let counts = reached.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    print("\(seed) worlds, \(counts.joined(separator: ", ")): every promise holds")
    let missing = seed > enough ? mustReach.filter { reached[$0] == nil } : []
    if !missing.isEmpty { print("never reached: \(missing.joined(separator: ", "))") }
    return missing.isEmpty
  }

  private func replay(_ seed: UInt64, _ fault: Fault?) -> Bool {
    var reached: [String: Int] = [:]
    let broken = live(seed, &reached, fault, true)
    print(broken.map { "\($0.promise) is broken: \($0.detail)" } ?? "every promise holds")
    return broken == nil
  }

  private func find(_ name: String) -> Bool {
    let all = Array(Fault.allCases)
    let faults = planted(name, of: all, named: \.rawValue)
    if faults.isEmpty { print("no fault \(name); there are \(all.map(\.rawValue).joined(separator: ", "))") }
    return faults.count { !isFound($0) } == 0 && !faults.isEmpty
  }

  private func isFound(_ fault: Fault) -> Bool {
    var (seed, found): (UInt64, Broken?) = (0, nil)
    var reached: [String: Int] = [:]
    while found == nil, seed < mostPlanted {
      seed += 1
      found = live(seed, &reached, fault, false)
      if let other = found?.promise, !breaks(fault).contains(other) { found = nil }
    }
    let what = found.map { "world \(seed): \($0.promise): \($0.detail)" } ?? "not found in \(mostPlanted) worlds"
    print("\(fault.rawValue): \(what)")
    return found != nil
  }
}
