import BatonConfig
import BatonCore
import DoorKit
import Foundation
import TranscriptPlayer

/// The configuration file of a transcript, in the temporary folder. It lives as long as this object.
final class ServerFile {
  let path = FileManager.default.temporaryDirectory.appending(path: "baton-file-\(UUID().uuidString).yaml").path
  /// The entry of the stage itself: so its probing connection is no stranger, and may ask for a reload.
  static let stage = Transcript.Entry("the-stage may manage server")

  init(_ file: Transcript.File) throws { try write(file) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ file: Transcript.File) throws {
    var text = ""
    text +=
      file.entries.isEmpty
      ? "open: local\n" : "peers:\n" + (file.entries + [ServerFile.stage]).map(ServerFile.text).joined()
    if !file.chains.isEmpty { text += "chains:\n" + file.chains.map(ServerFile.text).joined() }
    if !file.topics.isEmpty { text += "topics:\n" + file.topics.map(ServerFile.text).joined() }
    if !file.settings.isEmpty {
      text += "settings:\n" + file.settings.map { "  \($0.name): \(ServerFile.value(of: $0))\n" }.joined()
    }
    if let rule = file.trace { text += "trace: { sample: \(rule.sample), per_second: \(rule.perSecond) }\n" }
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  /// Writes something that no file may say.
  func spoil() throws { try Data("peers: [".utf8).write(to: URL(fileURLWithPath: path)) }

  /// What is wrong with the bytes of a file, if they are checked where there is no program.
  static func news(of bytes: [UInt8]) -> ReloadNews {
    do throws(ConfigMistakes) {
      _ = try Configuration.read(bytes, inPlaceOf: nil, variable: { _ in nil })
      return .read(ReloadedFile())
    } catch {
      return .refused(
        error.all.map {
          ConfigurationFault(line: $0.place?.line ?? 1, column: $0.place?.column ?? 1, message: $0.message)
        })
    }
  }

  /// The value of a setting. The stage itself has a connection, too.
  static func value(of setting: Transcript.Setting) -> Int {
    setting.name == "max_connections" ? setting.value + 1 : setting.value
  }

  private static func text(of entry: Transcript.Entry) -> String {
    var lines = ["  \(entry.name):"]
    if entry.name != "anonymous" {
      lines.append("    token: \(TokenDigest(of: TestToken.text(of: entry.name)).spelling)")
    }
    if !entry.users.isEmpty { lines.append("    user: [\(entry.users.map(quoted).joined(separator: ", "))]") }
    if !entry.certificates.isEmpty {
      lines.append("    certificate: [\(entry.certificates.map(quoted).joined(separator: ", "))]")
    }
    if !entry.limits.isEmpty {
      lines.append("    limits: { \(entry.limits.map { "\($0.name): \($0.value)" }.joined(separator: ", ")) }")
    }
    lines.append("    may: [\(entry.may.map(quoted).joined(separator: ", "))]")
    return lines.map { $0 + "\n" }.joined()
  }

  private static func text(of chain: Transcript.Chain) -> String {
    // JSON is YAML.
    let links = chain.links.isEmpty ? " []\n" : "\n" + chain.links.map { "      - \($0)\n" }.joined()
    return "  \(chain.name):\n" + (chain.isOpen ? "    open: true\n" : "") + "    links:\(links)"
  }

  private static func text(of topics: KeptTopics) -> String {
    let time = topics.keepMilliseconds.map { ", keep_ms: \($0)" } ?? ""
    return "  - { pattern: \(quoted(String(decoding: topics.pattern, as: UTF8.self))), keep: \(topics.keep)\(time) }\n"
  }

  private static func quoted(_ text: String) -> String { "'\(text.replacingOccurrences(of: "'", with: "''"))'" }
}
