import BatonConfig
import BatonCore

/// What libFuzzer calls with each input it has made up: a file of an operator, whose first line is also read as a
/// right. Nothing may trap, and each mistake has a place in the file. `Scripts/fuzz` builds this.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfig(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let file = Array(UnsafeBufferPointer(start: bytes, count: count))
  readFile(file)
  readRight(String(decoding: file.prefix { $0 != 0x0A }, as: UTF8.self))
  return 0
}

private func readFile(_ file: [UInt8]) {
  // How all of it fits together: mounts, rights, settings, guards.
  do throws(ConfigMistakes) {
    let whole = try Configuration.read(file, inPlaceOf: "f", variable: { _ in nil })
    let (changed, restart) = whole.changes(from: whole, startedWith: whole)
    guard changed.isEmpty, restart.isEmpty, !whole.shown.isEmpty else { fatalError("\(changed) \(restart)") }
  } catch {}
  do throws(ConfigMistakes) {
    let read = try ConfigurationFile.read(file, path: "f", userNumber: { $0.utf8.count == 3 ? 1000 : nil })
    for chain in read.chains {
      let names = chain.links.map(\.link.name)
      guard Set(names).count == names.count, !names.contains(""), names.count <= 1000 else { fatalError("\(names)") }
    }
    for peer in read.peers ?? [] where peer.name.isEmpty || peer.name.utf8.count > 31 { fatalError("\(peer.name)") }
  } catch {
    // A carriage return or a character of Unicode may end a line, too; a place stands right behind the end at most.
    guard !error.all.isEmpty, error.all.count <= 100 else { fatalError("\(error.all.count) mistakes") }
    for mistake in error.all {
      if let place = mistake.place, !(1...file.count + 2).contains(place.line) || place.column < 1 {
        fatalError("\(mistake) in a file of \(file.count) bytes")
      }
    }
  }
}

private func readRight(_ text: String) {
  do throws(RightError) {
    let right = try Right(parsing: text)
    let again = try Right(parsing: right.spelling)
    if again != right { fatalError("\(text) is spelled \(right.spelling)") }
  } catch {
    guard (0...text.utf8.count).contains(error.offset), !error.message.isEmpty else { fatalError("\(error)") }
  }
}
