import BatonClient
import Curl

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Posts each message to a web service, whose status is the verdict.
struct PostHandler: Sendable {
  let service: WebService
  let secrets: PostSecrets?
  /// Notices come without a window. So many are posted at once; the others wait.
  let notices: JobLimit
  /// Whether failures and dropped notices are told on standard error.
  let tellsFailures: Bool
  /// How long a notice may take; nil: nobody says so.
  let timeout: Duration?
  private let dropped = DroppedNotices()
  /// Stands for the start of a server that does not tell it.
  private let ownStart = String(UInt128.random(in: .min ... .max), radix: 16)

  init(_ service: WebService, _ secrets: PostSecrets?, notices: JobLimit, tellsFailures: Bool, timeout: Duration?) {
    (self.service, self.secrets, self.notices) = (service, secrets, notices)
    (self.tellsFailures, self.timeout) = (tellsFailures, timeout)
  }

  private var noticeTime: Duration { timeout ?? .seconds(30) }
  /// What a line has beside its payload and meta (contract, section 2).
  private static let frame = 4096

  /// Takes a message in. Its time runs from now on.
  func begin(_ message: Message) -> @Sendable () async throws -> Verdict {
    let end = ContinuousClock.now + allowance(for: message)
    return {
      do {
        guard message.isNotice else { return try await post(message, until: end) }
        return try await notices.run(notice: message.line.bytes.count) {
          try await post(message, until: .now + noticeTime)
        }
      } catch is JobLimit.Crowded {
        await dropped.note(message, for: "the web service")
        return .continue
      } catch let fault as WebFault {
        tell(message, fault.description + (fault.detail.isEmpty ? "" : " (\(fault.detail))"))
        return .failed(fault.description)
      } catch let fault as PostVerdict.Fault {
        tell(message, fault.description)
        return .failed(fault.description)
      }
    }
  }

  /// The command ends: what waits is dropped, and what has begun is finished, unless it is to end at once.
  func finish(atOnce: Bool) async {
    await dropped.end(await notices.dropWaiting())
    if !atOnce { await notices.untilIdle() }
  }

  /// How long a service may take, so that the verdict is there before the offer lapses. Silence is the failure of the
  /// service, and not of this handler.
  private func allowance(for message: Message) -> Duration {
    guard let timeout = message.timeout else { return noticeTime }
    return timeout - min(timeout / 10, .milliseconds(500))
  }

  private func post(_ message: Message, until end: ContinuousClock.Instant) async throws -> Verdict {
    let request = try request(for: message, until: end)
    return try PostVerdict.of(try await service.post(request), most: request.mostBody)
  }

  private func request(for message: Message, until end: ContinuousClock.Instant) throws -> WebRequest {
    if let meta = message.meta, meta.bytes.count > PostHeaders.mostMeta {
      throw PostVerdict.Fault(
        "the message has \(meta.bytes.count) bytes of meta; a header takes \(PostHeaders.mostMeta) at most")
    }
    let body = message.payload?.bytes ?? []
    let id = PostHeaders.id(of: message, start: message.serverStart ?? ownStart)
    let timestamp = "\(time(nil))"
    var headers = PostHeaders(message, id: id, timestamp: timestamp)
    if let secrets { headers.sign(secrets.signature(id: id, timestamp: timestamp, body: body)) }
    return WebRequest(
      body: body, headers: headers.all, time: max(end - .now, .milliseconds(1)),
      mostBody: max(message.maxLine - Self.frame - (message.meta?.bytes.count ?? 0), 1))
  }

  private func tell(_ message: Message, _ why: String) {
    if tellsFailures || message.isNotice { talk("\(message.words): failed: \(why)") }
  }
}
