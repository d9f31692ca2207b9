internal import BatonCore

/// What is in the files for encryption. A renewed certificate has the path of the old one.
extension TLSFiles {
  /// The SHA-256 of each file; nil for one that is not there or that is no small file.
  public struct Contents: Equatable, Sendable {
    fileprivate let digests: [TokenDigest?]
  }

  /// The most bytes that a file may have when a reload reads it.
  static let mostBytes = 1 << 20

  var paths: [Sourced<String>] { [certificate, key, clients].compactMap(\.self) }

  /// Reads the files.
  public func contents() -> Contents {
    Contents(
      digests: paths.map { path in
        let bytes = try? FileBytes.read(
          path.value, .regularFile, named: path.value, atMost: TLSFiles.mostBytes, origin: path.origin)
        return bytes?.withUnsafeBytes { TokenDigest(of: $0) }
      })
  }

  /// Whoever asks for a reload names files that the server would wait for: only small ones that are files are opened.
  public func checkFiles() throws(ConfigMistakes) {
    for path in paths {
      guard let facts = FileFacts(path.value) else { continue }
      if !facts.isRegular || facts.bytes > TLSFiles.mostBytes {
        throw ConfigMistakes(path.origin, "\(path.value) is not a file of at most 1 MiB, in PEM")
      }
    }
  }
}
