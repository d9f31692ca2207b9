import ArgumentParser
import BatonConfig
import BatonServer
import UV

/// Where the server listens.
struct AddressOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The address to listen on; 0.0.0.0 is all addresses. (default: 127.0.0.1)"))
  var host: String?

  @Option(
    help: ArgumentHelp("The port to listen on; 0 takes a free port and prints it. (default: 22866)"),
    transform: { text in
      guard let port = UInt16(text) else { throw ValidationError("it must be a number from 0 to 65535") }
      return port
    })
  var port: UInt16?

  @Option(
    help: ArgumentHelp(
      """
      Another place to listen at: tcp:HOST:PORT, tls:HOST:PORT or unix:PATH, as in the configuration file; HOST:PORT is tcp, \
      too. Only its owner can connect to a Unix socket. May be repeated. Without --host and --port the server listens \
      at these places only. Any of the three replaces the places of the file.
      """, valueName: "address"),
    transform: { text in
      if let place = try? ListenEntry.Place(text) { return place }
      if text.hasPrefix("http:") || text.hasPrefix("https:") {
        throw ValidationError("\"\(text)\" is for HTTP; write it with --http")
      }
      guard let endpoint = Endpoint(text) else {
        throw ValidationError(
          "\"\(text)\" is not a place to listen at; write HOST:PORT, tls:HOST:PORT or unix:PATH")
      }
      return ListenEntry.Place(endpoint)
    })
  var listen: [ListenEntry.Place] = []
}
