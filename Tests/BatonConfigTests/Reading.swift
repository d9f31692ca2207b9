@testable import BatonConfig

/// What is wrong with a file of this text, one mistake a line: `3:5 words`. Empty if nothing is. Most files of tests are
/// short, and say nothing of access: that is left out.
func mistakes(in text: String) -> [String] { mistakes(in: Array(text.utf8)) }

func mistakes(in bytes: [UInt8]) -> [String] {
  do throws(ConfigMistakes) {
    _ = try Configuration.check(bytes, path: "baton.yaml")
    return []
  } catch {
    return error.all.filter { $0.message != Configuration.silence }.map {
      "\($0.place.map { "\($0) " } ?? "")\($0.message)"
    }
  }
}

/// What a right file says. `root` is user 0 in it, and `ann` user 1000.
func read(_ text: String, path: String = "baton.yaml") throws(ConfigMistakes) -> ConfigurationFile {
  try ConfigurationFile.read(Array(text.utf8), path: path) { ["root": 0, "ann": 1000][$0] }
}

/// The same, and `open: local` where it says nothing of access.
func readOpen(_ text: String) throws(ConfigMistakes) -> ConfigurationFile {
  var file = try read(text)
  if file.peersOrigin == nil, file.open == nil { file.open = Sourced(.local, from: .whole(file.path)) }
  return file
}

/// The warnings of `baton config check`. A file that says nothing of access is as with `open: local`.
func warnings(in text: String) throws(ConfigMistakes) -> [ConfigMistake] {
  let isSilent = !text.split(separator: "\n").contains { $0.hasPrefix("peers:") || $0.hasPrefix("open:") }
  return try Configuration.check(Array("\(text)\n\(isSilent ? "open: local\n" : "")".utf8), path: "baton.yaml")
}

/// The one mistake of a file, and whether it has the words.
func isOnly(_ found: [String], _ place: String, _ words: String) -> Bool {
  found.count == 1 && found[0].hasPrefix("\(place) ") && found[0].contains(words)
}
