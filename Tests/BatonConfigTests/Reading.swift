@testable import BatonConfig

/// What is wrong with a file of this text, one mistake a line: `3:5 words`. Empty if nothing is.
func mistakes(in text: String) -> [String] { mistakes(in: Array(text.utf8)) }

func mistakes(in bytes: [UInt8]) -> [String] {
  do throws(ConfigMistakes) {
    _ = try Configuration.check(bytes, path: "baton.yaml")
    return []
  } catch {
    return error.all.map { "\($0.place.map { "\($0) " } ?? "")\($0.message)" }
  }
}

/// What a right file says. `root` is user 0 in it, and `ann` user 1000.
func read(_ text: String, path: String = "baton.yaml") throws(ConfigMistakes) -> ConfigurationFile {
  try ConfigurationFile.read(Array(text.utf8), path: path) { ["root": 0, "ann": 1000][$0] }
}

/// The one mistake of a file, and whether it has the words.
func isOnly(_ found: [String], _ place: String, _ words: String) -> Bool {
  found.count == 1 && found[0].hasPrefix("\(place) ") && found[0].contains(words)
}
