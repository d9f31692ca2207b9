import ProgramKit

/// A server that the test plays: what a program of this version is told, whatever the real server does.
extension FakeServer {
  /// Takes the program's connection, greets it, and answers its one request with these members. Returns the request.
  @discardableResult func answer(_ members: String) -> String {
    let peer = take()
    peer.answer(FakeServer.welcome)
    let request = peer.answer(members)
    // The program leaves when it has its answer.
    while peer.line() != nil {}
    return request
  }

  /// Takes the program's connection, says why it cannot stay, and ends it.
  func turnAway(with code: String = "draining") {
    let peer = take()
    _ = peer.line()
    peer.say(#"{"op":"error","code":"\#(code)","message":"why"}"#)
    peer.end()
  }

  static let welcome =
    #""op":"welcome","server":"baton","version":"9.0.0","protocol":1,"#
    + #""start":"00112233445566778899aabbccddeeff","connection":1,"max_line":1048576"#
}

extension Peer {
  /// Reads a request, and answers it with these members and its id. Returns the request.
  @discardableResult func answer(_ members: String) -> String {
    let request = line() ?? ""
    let id = request.firstMatch(of: /"id":([0-9]+)/)?.1 ?? "0"
    say("{\(members),\"id\":\(id)}")
    return request
  }
}

extension String {
  /// The text with one space where there are several.
  var squeezed: String { replacing(/\ +/, with: " ") }
}
