/// What stands in a file of YAML, whatever it is about: its tree, and what is wrong with it as such a file.
package struct Tree {
  /// Nil for a file without values, and for one that cannot be read to its end.
  package let root: Node?
  /// What is wrong so far.
  package let mistakes: MistakeList

  /// Reads bytes.
  package init(_ bytes: [UInt8], path: String) {
    var mistakes = MistakeList()
    var root: Node?
    if bytes.count > SourceText.mostBytes {
      mistakes.add(ConfigMistake(.whole(path), "the file has more than \(SourceText.mostBytes) bytes"))
    } else {
      var reader = TreeReader(SourceText(bytes), path: path)
      root = reader.read()
      mistakes = reader.mistakes
    }
    self.init(root: root, mistakes: mistakes)
  }

  private init(root: Node?, mistakes: MistakeList) {
    self.root = root
    self.mistakes = mistakes
  }

  /// Reads the file at a path.
  package init(at path: String) {
    do throws(ConfigMistake) {
      self.init(
        try FileBytes.read(path, .anything, named: "the file", atMost: SourceText.mostBytes, origin: .whole(path)),
        path: path)
    } catch {
      var mistakes = MistakeList()
      mistakes.add(error)
      self.init(root: nil, mistakes: mistakes)
    }
  }
}
