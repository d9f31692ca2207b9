import BatonClient
import Foundation
import Synchronization

/// The same with the library: `library sender|handler COUNT`. With `BENCH_PAYLOAD=raw` payloads stay JSON text; otherwise
/// they are values that are encoded and decoded.
@main struct Library {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count == 3, let count = Int(words[2]) else { exit(64) }
    let clock = Clock(count)
    let isRaw = ProcessInfo.processInfo.environment["BENCH_PAYLOAD"] == "raw"
    if words[1] == "sender" {
      try await send(count, clock, isRaw)
    } else {
      try await handle(clock, isRaw)
    }
  }

  private static func send(_ count: Int, _ clock: Clock, _ isRaw: Bool) async throws {
    let client = try await Baton().named("bench").connect()
    let next = Numbers()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<256 {
        group.addTask {
          while true {
            let number = next.next()
            guard number <= count else { return }
            if isRaw {
              let post = try Payload(json: Post.json(number))
              guard try await client.send("bench.post", post).payload != nil else { exit(1) }
            } else {
              let result = try await client.send("bench.post", Post(number))
              guard try result.payload?.decode(Answer.self).seen == true else { exit(1) }
            }
            clock.tick()
          }
        }
      }
      try await group.waitForAll()
    }
    await client.close()
  }

  private static func handle(_ clock: Clock, _ isRaw: Bool) async throws {
    let answer = try Payload(json: #"{"seen":true,"by":"bench"}"#)
    let client = try await Baton().handler("bench") { message in
      clock.tick()
      if isRaw { return .handled(answer) }
      return .handled(Answer(seen: try message.decode(Post.self).id > 0, by: "bench"))
    }.connect()
    print("ready")
    fflush(nil)
    try await client.untilClosed()
  }
}

private struct Post: Codable {
  var id: Int
  var author = "Ann Lee"
  var text = "What the post says, in some words."
  var tags = ["a", "b"]
  var at = 1.5

  init(_ number: Int) { id = number }

  static func json(_ number: Int) -> String {
    #"{"id":\#(number),"author":"Ann Lee","text":"What the post says, in some words.","tags":["a","b"],"at":1.5}"#
  }
}

private struct Answer: Codable {
  var seen: Bool
  var by: String
}

/// Numbers for messages.
private final class Numbers: Sendable {
  private let last = Atomic(0)

  func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}

/// Counts messages, and measures all but the first fifth of them.
private final class Clock: Sendable {
  private let count: Int
  private let state = Mutex((seen: 0, cpu: 0.0, wall: ContinuousClock.now))

  init(_ count: Int) { self.count = count }

  func tick() {
    state.withLock { state in
      state.seen += 1
      if state.seen == count / 5 { (state.cpu, state.wall) = (Clock.cpu, .now) }
      guard state.seen == count else { return }
      let messages = Double(count - count / 5)
      let second = messages / ((.now - state.wall) / .seconds(1))
      print(String(format: #"{"us":%.3f,"per_second":%.0f}"#, (Clock.cpu - state.cpu) / messages, second))
      fflush(nil)
    }
  }

  /// Microseconds of the process's processor time.
  private static var cpu: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}
