import ArgumentParser
import BatonClient
import Curl

/// Posts a line and a link to a web service that brings them to a telephone. What goes wrong there decides nothing.
struct Push: Sendable {
  private let name: String
  private let file: PushFile
  private let service: WebService
  private let under = JobLimit(Push.most)

  /// How many posts are under way to one service; others wait, and at most so long.
  private static let most = 16
  /// All tries of one question together.
  private static let time = Duration.seconds(10)
  private static let tries = 3

  /// For the web service that a file names. Throws a `ValidationError` where the file is wrong.
  init(file path: String) throws {
    name = path
    file = try PushFile(path)
    do throws(WebService.Complaint) {
      service = try WebService(WebService.Place(url: file.url), kept: 1)
    } catch {
      throw ValidationError("--push \(error)")
    }
  }

  /// Posts in the background.
  func begin(_ words: String, _ link: String) {
    let end = ContinuousClock.now + Self.time
    Task {
      guard let why = try? await under.run({ await post(words, link, until: end) }) else { return }
      talk("baton: \(name): no push got through: \(why)")
    }
  }

  /// Why it did not get through; nil if it did. The words have neither the link nor the URL.
  private func post(_ words: String, _ link: String, until end: ContinuousClock.Instant) async -> String? {
    var why = "too many wait"
    for number in 1...Self.tries {
      let left = end - .now
      guard left > .milliseconds(100) else { break }
      do {
        let answer = try await service.post(request(words, link, within: min(left, .seconds(3))))
        if (200...299).contains(answer.status) { return nil }
        why = "the web service answered with status \(answer.status)"
      } catch {
        why = (error as? WebFault)?.description ?? "it was given up"
      }
      if number < Self.tries { try? await Task.sleep(for: .milliseconds(500)) }
    }
    return why
  }

  private func request(_ words: String, _ link: String, within time: Duration) -> WebRequest {
    var headers = [(name: "User-Agent", value: "Baton/\(BatonCommand.configuration.version)")]
    let body: String
    switch file.form {
    case .ntfy:
      headers += [("Content-Type", "text/plain; charset=utf-8"), ("Click", link)]
      body = words
    case .json:
      headers.append(("Content-Type", "application/json"))
      let members = [("text", Payload(text: "\(words) \(link)"))] + file.body.map { ($0.name, $0.value) }
      body = "{\(members.map { "\(Payload(text: $0)):\($1)" }.joined(separator: ","))}"
    }
    return WebRequest(body: Array(body.utf8), headers: headers, time: time, mostBody: 4096)
  }
}
