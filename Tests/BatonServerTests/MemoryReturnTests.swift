import ProgramKit

#if os(Linux)
  import Testing

  /// What was taken in a storm goes back to the system, although the heap's end is still in use (Docs/settings.md,
  /// "How much memory the limits allow").
  @Suite struct MemoryReturnTests {
    @Test func messagesThatAreOverLeaveNothingResident() throws {
      let server = try RunningServer(at: ["unix:"])
      let account = try MemoryAccount(of: server)
      let before = try account.server().memory_bytes
      let payload = String(repeating: "x", count: 20_000)
      var peers: [Peer] = []
      for number in 0..<4 {
        let handler = try server.peer()
        #expect(handler.ask(#"{"op":"insert","chain":"c\#(number)","handler":"h"}"#)?.contains("ok") == true)
        let sender = try server.peer()
        for _ in 0..<1000 {
          sender.say(#"{"op":"send","chain":"c\#(number)","topic":"t","reply":false,"payload":"\#(payload)"}"#)
        }
        peers += [handler, sender]
      }
      try account.wait("the messages have come") { $0.open == 4000 }
      #expect(try account.server().memory_bytes > before + 60 << 20)
      let last = try server.peer()
      #expect(last.ask(#"{"op":"insert","chain":"last","handler":"h"}"#)?.contains("ok") == true)
      peers = []
      let end = ContinuousClock.now + .milliseconds(Int(Program.patience))
      var facts = try account.server()
      while facts.memory_bytes > before + 20 << 20, ContinuousClock.now < end { facts = try account.server() }
      #expect(facts.memory_bytes <= before + 20 << 20, "\(before) before, and \(facts)")
    }
  }
#endif
