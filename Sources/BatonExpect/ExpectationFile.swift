package import BatonConfig

/// A file of expectations: which configuration is tried, and the cases.
package struct ExpectationFile: Sendable {
  /// The path as it was given.
  package let path: String
  /// The configuration under which all cases run.
  package let configuration: Configuration
  /// The cases, in their order.
  package let cases: [Expectation]

  /// Reads the file at a path. `config` names another configuration than the file does. If anything is wrong, with it
  /// or with its configuration, throws all that is.
  package static func read(at path: String, config: String? = nil) throws(ConfigMistakes) -> ExpectationFile {
    try read(Tree(at: path), path: path, config: config)
  }

  /// Reads a file's bytes.
  package static func read(
    _ bytes: [UInt8], path: String, config: String? = nil
  ) throws(ConfigMistakes) -> ExpectationFile {
    try read(Tree(bytes, path: path), path: path, config: config)
  }

  private static func read(_ tree: Tree, path: String, config: String?) throws(ConfigMistakes) -> ExpectationFile {
    var reader = ExpectationReader(path: path, mistakes: tree.mistakes)
    let (configuration, cases) = try reader.readFile(tree.root, config: config)
    return ExpectationFile(path: path, configuration: configuration, cases: cases)
  }
}
