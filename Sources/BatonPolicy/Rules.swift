package import BatonConfig
internal import BatonRecord

/// The rules of a file. The first one that fits a call decides; what none fits is refused. They are a value: they know no
/// server, no clock and no file.
package struct Rules: Sendable {
  package let all: [Rule]
  /// The beginning of the SHA-256 of the file's bytes: which rules they are.
  package let name: String

  /// Reads a file's bytes. If anything is wrong, throws all that is.
  package static func read(_ bytes: [UInt8], path: String) throws(ConfigMistakes) -> Rules {
    let tree = Tree(bytes, path: path)
    var reader = RulesReader(path: path, mistakes: tree.mistakes)
    let all = reader.readFile(tree.root)
    try reader.mistakes.tell()
    return Rules(all: all, name: String(RecordOptions.digest(of: bytes).prefix(8)))
  }

  /// Reads the file at a path.
  package static func read(at path: String, _ kind: FileBytes.Kind = .anything) throws(ConfigMistakes) -> Rules {
    let bytes: [UInt8]
    do throws(ConfigMistake) {
      bytes = try FileBytes.read(path, kind, named: "the file", atMost: mostBytes, origin: .whole(path))
    } catch {
      throw ConfigMistakes(all: [error], untold: 0)
    }
    return try read(bytes, path: path)
  }

  /// The most bytes of a file.
  package static let mostBytes = 1 << 20
}
