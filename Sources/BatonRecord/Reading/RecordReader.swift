/// Reads the ends of messages in a record, in order, with their contents.
package struct RecordReader {
  private let folder: RecordFolder

  package init(_ folder: RecordFolder) { self.folder = folder }

  /// Gives each line about a message, with its contents if they are there, until `body` returns false. Lines that are none are
  /// passed: `verify` tells of them. Throws if the folder cannot be read, or has no record.
  package func each(_ body: (_ line: RecordLine, _ contents: RecordLine?) throws -> Bool) throws {
    let numbers = try folder.numbers()
    guard !numbers.isEmpty else { throw RecordError("\(folder.path) has no record") }
    for number in numbers {
      guard let file = try LineFile(folder.chain(number)) else { continue }
      var contents = try ContentsReader(folder.contents(number))
      while let line = try file.next({ RecordLine($0, isChain: true) }) {
        guard let line, line.kind == "end" || line.kind == "dead" else { continue }
        let kept = line.json("contents") == nil ? nil : try contents.read(line.n)
        let isOwn = kept.map { String(decoding: $0.hash, as: UTF8.self) == line.text("contents") } ?? true
        guard try body(line, isOwn ? kept : nil) else { return }
      }
    }
  }
}
