import ProgramKit
import Testing

/// The program with several servers.
@Suite struct ListTests {
  @Test func oneThatCanBeReachedIsTaken() throws {
    let server = try RunningServer()
    let list = "127.0.0.1:1,\(server.address)"
    #expect(try Program(["send", "t", "--server", list]).wait() == 10)
    #expect(try Program(["send", "t"], environment: ["BATON_SERVER=\(list)"]).wait() == 10)
    let doctor = try Program(["doctor", "--server", list])
    #expect(doctor.line()?.hasSuffix(" answers at \(server.address)\t") == true)
  }

  @Test func aSpareSendsItOn() throws {
    let fake = try FakeServer()
    let program = try Program(["healthcheck", "--server", "\(fake.place),\(fake.place)"])
    fake.turnAway(with: "not_leading")
    fake.answer(#""op":"pong""#)
    #expect(program.wait() == 0)
  }

  @Test func whoKnowsASpareAloneIsTold() throws {
    let fake = try FakeServer()
    let send = try Program(["send", "t", "--server", fake.place])
    fake.turnAway(with: "not_leading")
    #expect(send.errorLine() == "baton: why (not_leading)")
    #expect(send.wait() == 1)
    let doctor = try Program(["doctor", "--server", fake.place])
    fake.turnAway(with: "not_leading")
    #expect(doctor.line()?.contains("give the place of the one that leads, or all places") == true)
    #expect(doctor.wait() == 1)
  }

  @Test func whereNobodyIsEachPlaceIsNamed() throws {
    let program = try Program(["send", "t", "--server", "127.0.0.1:1,unix:/no/such,socket"])
    let line = try #require(program.errorLine())
    #expect(line.hasPrefix("baton: no server can be reached at 127.0.0.1:1,unix:/no/such,socket: "))
    #expect(line.contains("127.0.0.1:1: connection refused") && line.contains("unix:/no/such,socket: "))
    #expect(program.wait() == 3)
    let wrong = try Program(["send", "t", "--server", "127.0.0.1:1,"])
    #expect(wrong.errorLine()?.contains(#""127.0.0.1:1," is not a place to connect to"#) == true)
    #expect(wrong.wait() == 64)
  }

  @Test func aHandlerGoesOnAtTheNextServer() throws {
    let (first, second) = (try RunningServer(), try RunningServer())
    try second.kill()
    let handler = try Program([
      "handle", "t", "--name", "h", "--server", "\(first.address),\(second.address)", "--", "sh", "-c",
      "echo \"\\\"$BATON_SERVER\\\"\"",
    ])
    try first.expectConnected(handler)
    try second.startAgain()
    try first.kill()
    try second.expectConnected(handler)
    // What it starts is told both.
    #expect(
      try second.send("t")
        == #"{"op":"result","status":"handled","by":"h","payload":"\#(first.address),\#(second.address)","hops":1}"#)
  }
}
