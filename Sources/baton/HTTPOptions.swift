import ArgumentParser
import BatonConfig

/// Where HTTP is served, and whose pages may ask there.
struct HTTPOptions: ParsableArguments {
  /// What one `--http` says.
  enum Choice {
    case off
    case place(ListenEntry.Place)
  }

  @Option(
    help: ArgumentHelp(
      """
      Where HTTP is served, with the console for browsers: HOST:PORT, https:HOST:PORT, or off for nowhere. May be \
      repeated. It replaces http of the file. (default: 127.0.0.1:22868; with --port 0 a free port; off where --host, \
      --port, --listen or the file's listen say where to listen)
      """, valueName: "address"),
    transform: { text in
      if text == "off" { return .off }
      do throws(ListenEntry.Place.Complaint) {
        return .place(try ListenEntry.Place(http: text))
      } catch {
        throw ValidationError(error.message)
      }
    })
  var http: [Choice] = []

  @Option(
    help: ArgumentHelp(
      """
      A name that HTTP may be asked for (Host), beside addresses in numbers and localhost. May be repeated. It replaces \
      http_hosts of the file.
      """, valueName: "name"),
    transform: { text in
      do throws(HTTPName.Complaint) {
        return try HTTPName(host: text)
      } catch {
        throw ValidationError(error.message)
      }
    })
  var httpHost: [HTTPName] = []

  @Option(
    help: ArgumentHelp(
      """
      Another origin whose pages may ask: scheme://host or scheme://host:port. May be repeated. It replaces \
      allow_origins of the file.
      """, valueName: "url"),
    transform: { text in
      do throws(HTTPName.Complaint) {
        return try HTTPName(origin: text)
      } catch {
        throw ValidationError(error.message)
      }
    })
  var allowOrigin: [HTTPName] = []

  func validate() throws {
    let isOff = http.contains { if case .off = $0 { true } else { false } }
    if isOff, http.count > 1 {
      throw ValidationError("--http off says that HTTP is served nowhere; leave the other out")
    }
  }
}
