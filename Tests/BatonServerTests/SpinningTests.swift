import ProgramKit
import Testing
import UV

/// A server that stays awake for a while after something came.
@Suite struct SpinningTests {
  /// Writes one byte to each peer that connects.
  private final class Greeter: ListenerOwner, StreamOwner {
    var stream: UV.Stream?

    func accepted(_ stream: UV.Stream, by listener: Listener) {
      listener.close()
      self.stream = stream
      let greeting: [UInt8] = [1]
      let written = greeting.withUnsafeBytes { bytes in
        [bytes].withUnsafeBufferPointer { try? stream.tryWrite($0) }
      }
      #expect(written == 1)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) {}
    func ended(_ stream: UV.Stream) {}
    func wrote(_ count: Int, to stream: UV.Stream) {}
    func failed(_ stream: UV.Stream, _ error: UVError) { Issue.record(error) }
    func closed(_ stream: UV.Stream) {}
    func failed(_ listener: Listener, _ error: UVError) { Issue.record(error) }
    func turnedAway(by listener: Listener, _ error: UVError) { Issue.record(error) }
  }

  /// Nothing comes after the one byte, so a loop that waits would not turn any more.
  @Test func theLoopGoesOnTurningAfterAByteHasCome() throws {
    let path = freshPath()
    let loop = try Loop()
    let greeter = Greeter()
    try Listener.bound(toPath: path, on: loop).listen(owner: greeter)
    let reader = StreamTests.Reader()
    let stream = try UV.Stream(.unix, on: loop)
    stream.owner = reader
    stream.connect(toPath: path)
    var turns = 0
    let limit = try Timer(on: loop) {
      Issue.record("the loop waited")
      loop.stop()
    }
    limit.set(microseconds: MonotonicClock.microseconds + Int64(Program.patience) * 1000)
    let counter = try Hook(.beforeWaiting, on: loop) {
      if !reader.got.isEmpty { turns += 1 }
      if turns == 1000 { loop.stop() }
    }
    loop.run(spinning: 60_000_000)
    #expect(turns == 1000)
    limit.close()
    counter.close()
    greeter.stream?.close()
    stream.close()
    loop.run()
    #expect(loop.liveHandles == 0)
  }

  @Test func aSpinningServerAnswersAndGoes() throws {
    let server = try RunningServer(["--spin-us", "200"])
    let peer = try server.peer()
    for _ in 0..<100 { #expect(peer.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#) }
    #expect(server.end() == 0)
  }
}
