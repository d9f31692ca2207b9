public import BatonCore
package import BatonRecord

/// What the operator's file says of the record.
public struct RecordEntry: Sendable {
  /// The folder.
  public let directory: Sourced<String>
  /// Which messages are recorded, and what waits for that.
  public var rule = RecordRule()
  /// How it is written.
  package var options = RecordOptions()
  /// Where the key stands that signs heads; nil without one.
  public var keyOrigin: Origin?
  /// The values as the file says them, in the order of its keys: names, and how `baton config show` tells them.
  public var shown: [ShownValue] = []

  /// The key that signs heads, read from its file; nil without one. Throws a mistake about it.
  package func key() throws(ConfigMistakes) -> RecordKey? {
    guard let path = options.keyPath, let origin = keyOrigin else { return nil }
    do throws(RecordError) {
      if let complaint = SecretFile.complaint(of: path) { throw RecordError(complaint) }
      return try RecordKey(pem: try RecordFolder.read(path), path: path, isPrivate: true)
    } catch {
      throw ConfigMistakes(origin, error.description)
    }
  }

  /// The values that a reload takes, for comparing: all but the folder.
  var reloaded: [String] { shown.filter { $0.name != RecordEntry.folder }.map { "\($0.name)=\($0.value)" } }

  /// How `baton config show` names the folder.
  static let folder = "record.directory"
}
