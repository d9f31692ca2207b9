import ArgumentParser
import FuzzKit

/// Compares what looks at 64 bytes at a time with the reference, over whole lists of short values.
struct FuzzLists: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lists",
    abstract: "Compare the functions that read in blocks with the reference, over all short values. Takes a while.")

  func run() throws {
    let bodies = BlockReader.bodies
    for body in bodies.missing { print("\(body): skipped, this processor does not have it") }
    for body in bodies.here {
      _ = BlockReader.choose(body)
      let reader = BlockReader()
      var tried = 0
      for list in ValueList.all {
        for number in 0..<list.count {
          let value = list.value(number)
          tried += 1
          guard let disagreement = reader.disagreement(over: value) else { continue }
          print("\(body), \(list.name) \(number): \(disagreement)\n\(String(decoding: value, as: UTF8.self))")
          throw ExitCode.failure
        }
      }
      print("\(body): \(tried) values, no disagreement")
    }
  }
}
