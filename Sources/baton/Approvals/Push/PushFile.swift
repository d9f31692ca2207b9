import ArgumentParser
import BatonClient
import BatonConfig
import Curl

/// What a file of `--push` says: where a question is posted, and in which form.
struct PushFile: Sendable {
  enum Form: String, Sendable {
    case ntfy, json
  }

  var url = ""
  var form = Form.ntfy
  /// Further members of the JSON object.
  var body: [(name: String, value: Payload)] = []

  /// Reads a file. Throws a `ValidationError` where it is wrong, without its URL, which may be a key.
  init(_ path: String) throws {
    try expectPrivate(path, "--push")
    var reader = PushReader(path)
    do throws(ConfigMistakes) { self = try reader.file() } catch {
      throw ValidationError(error.lines.joined(separator: "\n"))
    }
  }

  fileprivate init() {}
}

private struct PushReader: NodeReading {
  let path: String
  var mistakes: MistakeList
  private let root: Node?
  private var read = PushFile()

  init(_ path: String) {
    let tree = Tree(at: path)
    (self.path, mistakes, root) = (path, tree.mistakes, tree.root)
  }

  mutating func wrong(_ place: FilePlace, _ message: String) {
    mistakes.add(ConfigMistake(.file(path, place), message))
  }

  mutating func file() throws(ConfigMistakes) -> PushFile {
    if let root {
      for member in members(of: root, "the file", keys: ["url", "form", "body"]) {
        switch member.key {
        case "url": readURL(member.value)
        case "form":
          guard let text = text(member.value, "form") else { continue }
          if let form = PushFile.Form(rawValue: text) {
            read.form = form
          } else {
            wrong(member.value.place, "form is ntfy or json")
          }
        default: read.body = members(of: member.value, "body").compactMap { value(of: $0) }
        }
      }
      if read.url.isEmpty, mistakes.isEmpty { wrong(root.place, "the file has no url") }
      if read.form == .ntfy, !read.body.isEmpty { wrong(root.place, "body is for form: json") }
    } else if mistakes.isEmpty {
      mistakes.add(ConfigMistake(.whole(path), "the file has no url"))
    }
    try mistakes.tell()
    return read
  }

  private mutating func readURL(_ node: Node) {
    guard let url = text(node, "url") else { return }
    do {
      let host = try WebService.host(of: url).drop { $0 == "[" }.prefix { $0 != "]" }
      guard url.lowercased().hasPrefix("https:") || ListenEntry.isLoopback(String(host)) else {
        return wrong(node.place, "url is not encrypted, and the link would be read on the way; write https:")
      }
      read.url = url
    } catch {
      wrong(node.place, "url \(error)")
    }
  }

  /// A text, or a number, `true` or `false` without quotes.
  private mutating func value(of member: Node.Member) -> (name: String, value: Payload)? {
    guard member.key != "text" else {
      wrong(member.place, "text is what Baton says; leave it out")
      return nil
    }
    guard let text = text(member.value, member.key), case .text(let node) = member.value.content else { return nil }
    let isLiteral = !node.isQuoted && (["true", "false"].contains(text) || Int(text).map { "\($0)" } == text)
    return (member.key, (isLiteral ? try? Payload(json: text) : nil) ?? Payload(text: text))
  }
}
