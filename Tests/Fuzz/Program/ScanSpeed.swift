import ArgumentParser
import BatonCore

/// Measures the scanner on the usual kinds of lines.
struct ScanSpeed: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "speed", abstract: "Measure the scanner; build with -c release.")

  @Option(help: "Rounds of each measurement; the median and the fastest are told.") var rounds = 15

  func run() {
    for sample in Self.samples { measure(sample.name, sample.line) }
  }

  private func measure(_ name: String, _ text: String) {
    let line = Array(text.utf8) + [UInt8(ascii: "\n")]
    line.withUnsafeBytes { bytes in
      let unended = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
      var scanner = LineScanner(maximumDepth: 128)
      let repetitions = max(1, 20_000_000 / line.count)
      let unchecked = times(repetitions) { scanner.scan(unended) == nil }
      let checked = times(max(1, repetitions / 8)) { scanner.scanChecked(unended) == nil }
      let rate = Double(line.count) / unchecked.median
      print(
        Self.padded(name, 34), Self.padded("\(line.count) B", 9),
        Self.padded("\(Self.tenths(unchecked.median)) ns (best \(Self.tenths(unchecked.best)))", 28),
        Self.padded("\(Self.tenths(rate)) GB/s", 12), "checked \(Self.tenths(checked.median)) ns")
    }
  }

  /// Nanoseconds for one call of `body`.
  private func times(_ repetitions: Int, _ body: () -> Bool) -> (median: Double, best: Double) {
    var results: [Double] = []
    for _ in 0..<rounds {
      var accepted = 0
      let duration = ContinuousClock().measure {
        for _ in 0..<repetitions where body() { accepted += 1 }
      }
      precondition(accepted == repetitions, "a sample was refused")
      let parts = duration.components
      results.append((Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9) / Double(repetitions))
    }
    results.sort()
    return (results[rounds / 2], results[0])
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func tenths(_ number: Double) -> String {
    "\((number * 10).rounded() / 10)"
  }

  private static let samples: [(name: String, line: String)] = {
    let head = #"{"op":"send","id":123456,"topic":"door.open","payload":"#
    func line(_ payload: String) -> String { head + payload + #","meta":null}"# }
    let entry = #"{"door":3,"who":"somebody","open":true,"level":-12.5,"note":"left \"as it was\"","tags":["a","bc"]}"#
    func entries(_ count: Int) -> String {
      line("[" + Array(repeating: entry, count: count).joined(separator: ",") + "]")
    }
    return [
      ("the usual line", line(#"{"door":3,"who":"somebody","text":"xxxxxxxxxxxxxxxxxxxx"}"#)),
      ("a verdict", #"{"op":"handled","id":123456,"payload":{"opened":true}}"#),
      ("1 KB, mixed", entries(10)),
      ("16 KB, mixed", entries(160)),
      ("16 KB, one text", line("\"" + String(repeating: "a", count: 16_300) + "\"")),
      ("16 KB, one text beyond ASCII", line("\"" + String(repeating: "京都", count: 2_700) + "\"")),
      ("16 KB, text with umlauts", line("\"" + String(repeating: "die Straße über Brücken, ", count: 570) + "\"")),
      ("16 KB, numbers", line("[" + (0..<2_400).map { "\($0 * 7)" }.joined(separator: ", ") + "]")),
    ]
  }()
}
