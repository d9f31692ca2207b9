import Foundation
import ProgramKit
import Testing

/// `baton mount`, `unmount`, `remove` and `explain`.
@Suite struct ChainCommandTests {
  private let server: RunningServer
  private let peer: Peer

  init() throws {
    server = try RunningServer()
    peer = try server.peer(
      saying: #"{"op":"insert","handler":"doors","accepts":["door.*"]}"#, #"{"op":"insert","handler":"porter"}"#,
      #"{"op":"insert","handler":"audit","shadow":true}"#)
  }

  @Test func mountingAndUnmounting() throws {
    let mount = try server.run(
      "mount", "main", "house", "--accepts", "public.>", "--accepts", "chat", "--before", "porter")
    #expect(mount.remainingLines() == ["1.5\t2"])
    #expect(mount.wait() == 0)
    #expect(
      peer.ask(#"{"op":"inspect","chain":"main"}"#)?.contains(
        #"{"mount":"house","rank":1.5,"position":2,"accepts":["public.>","chat"]"#) == true)
    let wrong = try server.run("unmount", "main", "hose")
    #expect(wrong.errorLine()?.hasSuffix("; baton chains shows what is mounted (no_such_mount)") == true)
    #expect(wrong.errorLine() == "did you mean \"house\"?")
    #expect(wrong.wait() == 1)
    let unmount = try server.run("unmount", "main", "house", "--json")
    #expect(unmount.line()?.hasPrefix(#"{"op":"ok","id":"#) == true)
    #expect(unmount.wait() == 0)
    #expect(try server.run("mount", "main", "main").wait() == 1)
  }

  @Test(arguments: [(["--at", "front"], "0\t1"), (["--after", "doors"], "1.5\t2"), (["--rank", "-2.5"], "-2.5\t1")])
  func places(_ place: [String], lines: String) throws {
    let mount = try Program(["mount", "main", "house", "--server", server.address] + place)
    #expect(mount.remainingLines() == [lines], "\(mount.remainingErrorLines())")
    #expect(mount.wait() == 0)
  }

  @Test func onlyOnePlaceIsSaid() throws {
    let program = try server.run("mount", "main", "house", "--at", "front", "--rank", "2")
    #expect(program.errorLine() == "Error: only one of --at, --before, --after and --rank can be given")
    #expect(program.wait() == 64)
  }

  @Test func removing() throws {
    let wrong = try server.run("remove", "portr")
    let said = wrong.remainingErrorLines()
    #expect(said.count == 1 && said[0].hasSuffix("did you mean \"porter\"? (no_such_handler)"), "\(said)")
    #expect(wrong.wait() == 1)
    let right = try server.run("remove", "porter", "--chain", "main")
    #expect(right.remainingLines() == [])
    #expect(right.wait() == 0)
    #expect(peer.line() == #"{"op":"removed","chain":"main","handler":"porter","by":"cli"}"#)
  }

  @Test func explainingToPrograms() throws {
    let program = try server.run("explain", "chat")
    #expect(
      program.remainingLines() == [
        "main\thandler\tdoors\tskip\ttopic\t", "main\thandler\tporter\toffer\t\t",
        "main\thandler\taudit\toffer\tshadow\t",
      ])
    #expect(program.wait() == 0)
    let nowhere = try server.run("explain", "chat", "--chain", "mani")
    #expect(nowhere.remainingLines() == [])
    #expect(nowhere.remainingErrorLines() == ["there is no chain \"mani\"; did you mean \"main\"?"])
    #expect(nowhere.wait() == 0)
    #expect(try server.run("explain", "chat", "--json").line()?.hasPrefix(#"{"op":"explained","id":"#) == true)
  }

  @Test(arguments: [80, 200])
  func explainingToPeople(columns: Int) throws {
    let long = String(repeating: "n", count: 64)
    _ = try server.peer(
      saying: #"{"op":"insert","chain":"\#(long)","handler":"guard","required":true,"on_failure":"stop"}"#)
    #expect(peer.ask(#"{"op":"mount","chain":"main","on":"\#(long)"}"#)?.contains("ok") == true)
    let terminal = try server.show("explain", "chat", columns: columns)
    #expect(terminal.wait() == 0)
    let lines = terminal.screen.lines
    #expect(terminal.screen.faults == [])
    #expect(lines.count >= 7)
    #expect(lines[0].wholeMatch(of: /CHAIN +LINK +WOULD  REASON/) != nil)
    #expect(lines[1].wholeMatch(of: /main +doors +skip   it does not accept the topic/) != nil, "\(lines)")
    #expect(lines[2].wholeMatch(of: /main +porter +offer/) != nil)
    #expect(lines[3].wholeMatch(of: /main +audit +offer  it only gets a copy/) != nil)
    #expect(lines[5].contains("fail   absent: no handler serves it"))
    #expect(lines[6].hasPrefix("The message would fail at"), "\(lines)")
    #expect(lines.joined(separator: " ").contains("(absent: no handler serves it)."), "\(lines)")
    #expect(lines[4].contains(long) == (columns == 200))
    #expect(terminal.screen.hasStyles)
  }
}
