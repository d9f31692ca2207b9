import Testing

@testable import BatonServer

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The queue of the log: its order, its limits, and what is told of the lines that did not fit (Docs/settings.md,
/// "What is not read, refused, or lost").
@Suite struct LogWriterTests {
  @Test func whatDoesNotFitIsCountedWhereItIsMissing() throws {
    let pipe = try LogPipe()
    let writer = LogWriter(to: pipe.writingEnd, maxLines: 100)
    let count = 50_000
    for number in 1...count { writer.add("line \(number)\n") }
    var next = 1
    while next <= count {
      let line = try #require(pipe.line())
      if let number = line.wholeMatch(of: /line ([0-9]+)/)?.1 {
        #expect(Int(number) == next)
        next += 1
      } else {
        let note = /[-0-9T:.]+Z warning ([0-9]+) lines? (was|were) not logged, because standard error takes .*/
        next += try #require(line.wholeMatch(of: note).flatMap { Int($0.1) }, "\(line)")
      }
    }
    #expect(writer.finish(within: 30_000))
    // There is room again.
    writer.add("last\n")
    #expect(pipe.line() == "last")
    #expect(writer.finish(within: 30_000))
  }

  @Test func finishingTakesNoLongerThanAllowed() throws {
    let pipe = try LogPipe()
    let writer = LogWriter(to: pipe.writingEnd)
    let line = String(repeating: "x", count: 100)
    // More than a pipe has room for.
    for _ in 1...5000 { writer.add(line + "\n") }
    #expect(writer.finish(within: 1) == false)
    for _ in 1...5000 { #expect(pipe.line() == line) }
    #expect(writer.finish(within: 30_000))
  }

  @Test func theLimitOfBytesHoldsToo() throws {
    let pipe = try LogPipe()
    let writer = LogWriter(to: pipe.writingEnd, maxBytes: 1000)
    writer.add(String(repeating: "x", count: 1000) + "\n")
    #expect(
      pipe.line()?.hasSuffix(" warning 1 line was not logged, because standard error takes them too slowly") == true)
    writer.add(String(repeating: "x", count: 999) + "\n")
    #expect(pipe.line()?.utf8.count == 999)
  }

  /// Nothing can be written, and then something can.
  @Test func linesThatCannotBeWrittenAreCounted() throws {
    let pipe = try LogPipe()
    let place = dup(pipe.writingEnd)
    let unreadable = open("/dev/null", O_RDONLY)
    dup2(unreadable, place)
    let writer = LogWriter(to: place)
    for number in 1...3 { writer.add("line \(number)\n") }
    #expect(writer.finish(within: 30_000))
    dup2(pipe.writingEnd, place)
    writer.add("line 4\n")
    #expect(pipe.line() == "line 4")
    #expect(pipe.line()?.contains("Z warning 3 lines were not logged, because Bad file descriptor") == true)
    close(unreadable)
  }

  @Test func aWriterWithoutLinesIsFinished() { #expect(LogWriter.toStandardError().finish()) }
}

/// A pipe, and its reader. The writing end stays open, because the writer's thread stays.
private final class LogPipe {
  let writingEnd: Int32
  private let reader: UnsafeMutablePointer<FILE>

  init() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    writingEnd = ends[1]
    reader = try #require(fdopen(ends[0], "r"))
  }

  deinit { fclose(reader) }

  func line() -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      guard let start = buffer.baseAddress, fgets(start, 4096, reader) != nil else { return nil }
      let line = String(cString: start)
      return line.hasSuffix("\n") ? String(line.dropLast()) : line
    }
  }
}
