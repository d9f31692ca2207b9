import ArgumentParser
import BatonClient

/// A server that has a name: where it is, and who this program is there (`baton context`).
struct Context: Equatable {
  let name: String
  /// `HOST:PORT`, `tls:HOST:PORT` or `unix:PATH`, or several of them with commas between them.
  var server: String
  /// The file with the token. The token itself is nowhere here.
  var tokenFile: String?
  /// Whether the token goes over plain TCP to another machine, too.
  var plainToken = false
  /// Files in PEM, as the options `--tls-…` name them.
  var ca: String?
  var certificate: String?
  var key: String?
  var pins: [String] = []

  /// The keys of the file with their values, in its order; `server` is the first.
  var values: [(key: String, values: [String])] {
    let texts = [
      ("server", server), ("token_file", tokenFile), ("tls_ca", ca), ("tls_certificate", certificate), ("tls_key", key),
    ]
    return texts.compactMap { key, value in value.map { (key, [$0]) } }
      + (pins.isEmpty ? [] : [("tls_pin", pins)]) + (plainToken ? [("plain_token", ["true"])] : [])
  }

  private static let mostLetters = 64

  /// The places of a server, with whole paths for sockets that are files.
  static func wholePlaces(_ places: String, _ whole: (String) -> String) -> String {
    Baton.places(in: places).map { place in
      guard place.hasPrefix("unix:"), !place.hasPrefix("unix:@") else { return place }
      return "unix:" + whole(String(place.dropFirst("unix:".count)))
    }.joined(separator: ",")
  }

  /// What is wrong with a name; nil if nothing is. A name stands on the command line, and a shell offers it.
  static func complaint(name: String) -> String? {
    guard !name.isEmpty else { return "is empty" }
    guard name.utf8.count <= mostLetters else { return "has more than \(mostLetters) characters" }
    let isRight = name.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "A"..."Z", "a"..."z", "0"..."9", "_", ".", "-": true
      default: false
      }
    }
    guard isRight else { return "has other characters than letters and digits of ASCII, _ . and -" }
    return name.hasPrefix("-") ? "begins with -" : nil
  }

  /// A name as somebody has typed it.
  static func checked(name: String) throws -> String {
    guard let complaint = complaint(name: name) else { return name }
    throw ValidationError("the name of a context \"\(name)\" \(complaint)")
  }
}

/// Why no context can be taken, or the file not be changed: a line for each mistake.
struct ContextTrouble: Error {
  let lines: [String]

  init(_ line: String) { lines = [line] }
  init(lines: [String]) { self.lines = lines }
}
