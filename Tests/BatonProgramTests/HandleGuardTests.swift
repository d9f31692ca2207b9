import Foundation
import ProgramKit
import Testing

/// `baton handle` as a guard, and what could make it none: long meta, a program that cannot be run, its own death.
@Suite struct HandleGuardTests {
  @Test func noMessagePassesAGuard() throws {
    let server = try RunningServer()
    let behind = try server.handler(">", "--name", "behind", "--reply", "passed")
    let handler = try server.handler(">", "--name", "words", "--guard", "--", "sh", "-c", "exit 10")
    #expect(try server.send("t").contains(#""by":"behind","payload":"passed","hops":2"#))
    let chains = try #require(try server.peer().ask(#"{"op":"inspect"}"#))
    let words = try #require(chains.range(of: #""handler":"words""#))
    let other = try #require(chains.range(of: #""handler":"behind""#))
    #expect(words.lowerBound < other.lowerBound)
    #expect(chains.contains(#""required":true,"on_failure":"stop""#))
    handler.send(SIGINT)
    let told = handler.remainingErrorLines().last
    #expect(handler.wait() == 0)
    #expect(
      told == "the place of words in main stays, and messages fail there until it is served again; "
        + "take it out with: baton remove words")
    #expect(try server.send("t").contains(#""status":"failed","by":"words","cause":"disconnect""#))
    withExtendedLifetime(behind) {}
  }

  /// Nothing of the place stays then, or the other one serves it.
  @Test(arguments: ["removed", "replaced"]) func aGuardThatIsTakenOutSaysNothingOfItsPlace(how: String) throws {
    let server = try RunningServer()
    let handler = try server.handler(">", "--name", "words", "--guard", "--", "cat")
    let other = how == "replaced" ? try server.handler(">", "--name", "words", "--replace", "--continue") : nil
    if other == nil { #expect(try server.run("remove", "words").wait() == 0) }
    let told = handler.remainingErrorLines()
    #expect(told.last?.hasPrefix("baton: words in main was \(how) by ") == true, "\(told)")
    #expect(!told.joined().contains("the place of"))
    withExtendedLifetime(other) {}
  }

  @Test(arguments: [["--on-failure", "continue"], ["--on-failure", "timeout=stop"], ["--shadow"]])
  func whatIsContraryToAGuardIsRefused(_ options: [String]) throws {
    let program = try Program(["handle", "t", "--name", "h", "--guard"] + options + ["--", "cat"])
    #expect(program.remainingErrorLines().first?.contains("--guard") == true)
    #expect(program.wait() == 64)
  }

  /// Nobody but the operator takes out what the file declares.
  @Test func aDeclaredPlaceIsToldToBeOne() throws {
    let path = freshPath() + ".yaml"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = """
      open: local
      chains: { main: { links: [{ handler: words, required: true, on_failure: stop }] } }

      """
    try Data(file.utf8).write(to: URL(fileURLWithPath: path))
    let server = try RunningServer(["--config", path])
    let handler = try Program(
      ["handle", "--server", server.address, ">", "--name", "words", "--guard", "--at", "back", "--", "cat"])
    while let line = handler.errorLine(), line != "baton: main/words: the configuration file decides its place" {}
    handler.send(SIGINT)
    let last = handler.remainingErrorLines().last
    #expect(last == "the place of words in main stays: the configuration file declares it")
    #expect(handler.wait() == 0)
  }

  /// The configuration file wins. A guard that it makes weaker does not serve.
  @Test func aWeakerGuardDoesNotServe() throws {
    let path = freshPath() + ".yaml"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = "open: local\nchains:\n  main:\n    links:\n      - { handler: words }\n"
    try Data(file.utf8).write(to: URL(fileURLWithPath: path))
    let server = try RunningServer(["--config", path])
    let handler = try Program(["handle", "--server", server.address, ">", "--name", "words", "--guard", "--", "cat"])
    let told = handler.remainingErrorLines().joined(separator: "\n")
    #expect(handler.wait() == 1)
    #expect(told.contains("main/words would be no guard: the configuration file decides"))
    #expect(told.contains("(not_a_guard)") || told.contains("baton chains"))
    #expect(!told.contains("stays"), "it has taken no place")
  }

  /// A variable may have 128 KiB. Above 64 KiB, meta comes by a descriptor, also with many messages at once.
  @Test(arguments: [(65_534, "env 65536"), (65_535, "file 65537"), (900_000, "file 900002")])
  func longMetaIsNotLeftOut(_ count: Int, _ expected: String) throws {
    let server = try RunningServer()
    let script =
      #"if [ -n "$BATON_META_FD" ]; then echo "file $(wc -c <&$BATON_META_FD)"; else echo "env ${#BATON_META}"; fi"#
    let handler = try server.handler(">", "--name", "h", "--on-failure", "stop", "--text", "--", "bash", "-c", script)
    let meta = "\"" + String(repeating: "x", count: count) + "\""
    let sender = try server.peer()
    for id in 1...3 { sender.say(#"{"op":"send","id":\#(id),"topic":"t","meta":\#(meta)}"#) }
    for _ in 1...3 { #expect(sender.line()?.contains(#""payload":"\#(expected)""#) == true) }
    withExtendedLifetime(handler) {}
  }

  /// What it has started does not outlive it, however it ends. The pipe ends when nobody holds it any more, and what
  /// lives on writes into it. The message comes after the program is known to what watches it.
  @Test(arguments: [
    [#"trap "" TERM; read -r text; exec 9>"$0"; { sleep 60; echo alive >&9; } & wait"#],
    ["--persistent", #"read -r line; exec 9>"$0"; sleep 60; echo alive >&9"#],
  ])
  func aKilledHandlerLeavesNothingBehind(_ how: [String]) throws {
    let (server, gate) = (try RunningServer(), try Gate())
    defer { gate.remove() }
    let options = how.dropLast() + ["--", "sh", "-c", how[how.count - 1], gate.path]
    let handler = try Program(["handle", "--server", server.address, ">", "--name", "h"] + options)
    try server.expectConnected(handler)
    let sender = try server.peer()
    sender.say(#"{"op":"send","topic":"t"}"#)
    let pipe = try #require(FileHandle(forReadingAtPath: gate.path))
    handler.send(SIGKILL)
    _ = handler.wait()
    #expect(try pipe.readToEnd() ?? Data() == Data())
  }

  @Test func aProgramThatCannotBeRunIsNamed() throws {
    let folder = URL(fileURLWithPath: freshPath())
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (plain, lost) = (folder.appending(path: "plain").path, folder.appending(path: "lost").path)
    try Data("echo".utf8).write(to: URL(fileURLWithPath: plain))
    try Data("#!/nowhere/sh -e\n".utf8).write(to: URL(fileURLWithPath: lost))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: plain)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: lost)
    for (path, words) in [
      (plain, "may not be run"), (lost, "its first line names /nowhere/sh"), (folder.path, "is a folder"),
      ("./nowhere", "there is no program"), ("nowhere-at-all", "in PATH"),
    ] {
      let program = try Program(["handle", "t", "--name", "h", "--", path])
      #expect(program.remainingErrorLines().joined().contains(words), "\(path)")
      #expect(program.wait() == 64)
    }
  }
}
