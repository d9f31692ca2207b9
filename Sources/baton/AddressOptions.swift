import ArgumentParser
import BatonServer
import UV

/// Where the server is to listen.
struct AddressOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The address to listen on; 0.0.0.0 is all of them. (default: 127.0.0.1)"))
  var host: String?

  @Option(help: ArgumentHelp("The port to listen on; 0 takes a free one and prints it. (default: 22866)"))
  var port: UInt16?

  @Option(
    help: ArgumentHelp(
      """
      Another place to listen at: unix:PATH, whose socket is for its owner only, or HOST:PORT. May be repeated. \
      Without --host and --port it is listened at these places only.
      """, valueName: "place"),
    transform: { text in
      guard let endpoint = Endpoint(text) else {
        throw ValidationError("\"\(text)\" is no place to listen at; write unix:PATH or HOST:PORT")
      }
      return endpoint
    })
  var listen: [Endpoint] = []

  /// All the places, in the order in which they are said.
  var endpoints: [Endpoint] {
    guard host != nil || port != nil || listen.isEmpty else { return listen }
    return [.tcp(host: host ?? "127.0.0.1", port: port ?? 22866)] + listen
  }
}
