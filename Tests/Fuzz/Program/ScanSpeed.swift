import ArgumentParser
import BatonCore
import FuzzKit

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Measures the scanner on lines with payloads of each kind. They all differ: where one line comes again and again, a processor
/// knows each branch beforehand.
struct ScanSpeed: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "speed", abstract: "Measure the scanner; build with -c release.")

  @Option(help: "Rounds of each measurement; the median and the fastest are told.") var rounds = 15
  @Option(help: "A folder into which the lines are written, a file for each kind, in place of measuring.")
  var write: String?

  func run() throws {
    print("in blocks by \(BlockReader.chosen)")
    for sample in Self.samples() {
      if let write { try Self.write(sample, into: write) } else { measure(sample) }
    }
  }

  private struct Sample {
    let name: String
    let lines: [[UInt8]]
  }

  private static func samples() -> [Sample] {
    let sizes = [(128, "128 B", 2048), (1024, "1 KB", 256), (16 << 10, "16 KB", 32)]
    var samples = [Sample(name: "a verdict", lines: (0..<2048).map { verdict($0) })]
    for (bytes, size, count) in sizes {
      var maker = PayloadMaker(seed: UInt64(bytes))
      var mixed: [[UInt8]] = []
      for kind in PayloadKind.allCases {
        let lines = (0..<count).map { line($0, maker.payload(kind, bytes: bytes)) }
        samples.append(Sample(name: "\(size), \(kind.rawValue)", lines: lines))
        mixed += lines.prefix(count / 8)
      }
      var generator = SeededGenerator(seed: 1)
      samples.append(Sample(name: "\(size), mixed", lines: mixed.shuffled(using: &generator)))
    }
    return samples
  }

  private static func verdict(_ number: Int) -> [UInt8] {
    Array("{\"op\":\"handled\",\"id\":\(100_000 + number),\"payload\":{\"opened\":true}}".utf8)
  }

  private static func line(_ number: Int, _ payload: [UInt8]) -> [UInt8] {
    Array("{\"op\":\"send\",\"id\":\(100_000 + number),\"topic\":\"door.open\",\"payload\":".utf8) + payload
      + [UInt8(ascii: "}")]
  }

  private static func write(_ sample: Sample, into folder: String) throws {
    let file = fopen("\(folder)/\(sample.name).jsonl", "w")
    guard let file else { throw ValidationError("nothing can be written into \(folder)") }
    for line in sample.lines { fwrite(line + [UInt8(ascii: "\n")], 1, line.count + 1, file) }
    fclose(file)
  }

  private func measure(_ sample: Sample) {
    let bytes = sample.lines.flatMap { $0 + [UInt8(ascii: "\n")] }
    var ranges: [Range<Int>] = []
    for line in sample.lines {
      let start = ranges.last.map { $0.upperBound + 1 } ?? 0
      ranges.append(start..<start + line.count)
    }
    let (median, best) = bytes.withUnsafeBytes { all in
      var scanner = LineScanner(maximumDepth: 128)
      let lines = ranges.map { UnsafeRawBufferPointer(rebasing: all[$0]) }
      return times(of: lines) { scanner.scan($0) == nil }
    }
    let length = Double(bytes.count - ranges.count) / Double(ranges.count)
    print(
      Self.padded(sample.name, 24), Self.padded("\(Int(length)) B", 9),
      Self.padded("\(Self.rounded(median)) ns (best \(Self.rounded(best)))", 28), "\(Self.rounded(length / best)) GB/s")
  }

  /// Nanoseconds for one call of `body`.
  private func times(
    of lines: [UnsafeRawBufferPointer], _ body: (UnsafeRawBufferPointer) -> Bool
  ) -> (median: Double, best: Double) {
    let repetitions = max(1, 10_000_000 / lines.reduce(1) { $0 + $1.count })
    var results: [Double] = []
    for _ in 0..<rounds {
      var accepted = 0
      let duration = ContinuousClock().measure {
        for _ in 0..<repetitions { for line in lines where body(line) { accepted += 1 } }
      }
      precondition(accepted == repetitions * lines.count, "a line was refused")
      let parts = duration.components
      let nanoseconds = Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9
      results.append(nanoseconds / Double(repetitions * lines.count))
    }
    results.sort()
    return (results[rounds / 2], results[0])
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func rounded(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}
