import BatonClient

/// Carries between the server, the book and the people: offers come in, decisions go out, and each change is told.
actor ApprovalDesk {
  private var book: ApprovalBook
  private let asked: AskedMessages
  private let news: AsyncStream<AskedMessages.News>
  private let tell: AsyncStream<AskedMessages.News>.Continuation
  private let links: String
  private let pushes: [Push]
  private let form: OutputForm
  private let numbers = Numbers()
  private var client: Client?
  /// Whether `approvals.changed` is on its way, and has to follow once more.
  private var (isTelling, isDue) = (false, false)
  private var hasComplained = false

  /// `links` is how links begin, up to their `#`.
  init(_ book: ApprovalBook, links: String, pushes: [Push], form: OutputForm) {
    let (news, tell) = AsyncStream.makeStream(of: AskedMessages.News.self)
    (self.book, self.news, self.tell) = (book, news, tell)
    (self.links, self.pushes, self.form) = (links, pushes, form)
    asked = AskedMessages { tell.yield($0) }
  }

  /// Takes an offer in, and returns what waits for its verdict.
  nonisolated func take(_ message: Message) -> @Sendable () async throws -> Verdict {
    guard !message.isNotice else { return { .handled } }
    let question = Question(numbers.next(), message, at: .now)
    return { try await self.asked.verdict(on: question) { self.tell.yield(.came(question)) } }
  }

  func begin(with client: Client) {
    self.client = client
    Task { for await each in news { await hear(each) } }
  }

  // MARK: What happens

  private func hear(_ news: AskedMessages.News) async {
    switch news {
    case .told: return
    case .came(let question): await came(question)
    case .lapsed(let number, _, let isInTime):
      guard let old = book.lapsed(number, isInTime ? .lapsed : .gone, at: .now) else { return }
      show(old)
    }
    announce()
  }

  private func came(_ question: Question) async {
    guard let (id, secret) = book.came(question) else {
      await asked.answer(question.id, .failed("too many questions wait for a person"))
      return
    }
    let link = "\(links)\(id).\(secret)"
    let left = question.ends.map { ", \(Int((($0 - .now) / .seconds(1)).rounded())) s left" } ?? ""
    switch form {
    case .json: say(json: question.line(id, link))
    // Who reads a terminal sees the link; what a log keeps would be a key.
    case .people: say("\(WallClock.now.local)  \(question.facts)\(left)  \(link)")
    case .program: say("asked\t\(id)\t\(question.from.displaySafe)\t\(question.topic.displaySafe)")
    }
    let words = "\(question.from.plain) asks: \(question.topic.plain)\(left)"
    for push in pushes { push.begin(words, link) }
  }

  private func show(_ old: ApprovalBook.Ended) {
    let who = old.who.map { " by \($0.displaySafe)" } ?? ""
    switch form {
    case .json: say(json: old.line)
    case .people: say("\(WallClock.now.local)  \(old.how.rawValue)\(who)  \(old.topic.displaySafe)")
    case .program: say("\(old.how.rawValue)\t\(old.id)\t\(old.who?.displaySafe ?? "")")
    }
  }

  // MARK: What people ask

  /// Answers a message down the chain `approvals`.
  func answer(_ message: Message) async throws -> Verdict {
    let request: ApprovalRequest
    let asks = await client?.may != nil
    do throws(ApprovalRefusal) { request = try ApprovalRequest(message, asks: asks) } catch { return error.verdict }
    let room = max(1024, (message.maxLine - 8192) / 2)
    let (answer, decision) = book.answer(request, most: room, at: .now)
    guard let decision else { return answer }
    defer {
      if let old = book.ended.last(where: { $0.number == decision.number }) { show(old) }
      announce()
    }
    // The book has it already, so that a second person is too late; the server may have given it up meanwhile.
    return await asked.answer(decision.number, decision.verdict) ? answer : book.missed(decision.number, at: .now)
  }

  // MARK: Telling all who look

  private func announce() {
    guard let client, !isTelling else {
      isDue = isTelling
      return
    }
    isTelling = true
    Task {
      do { _ = try await client.broadcast("approvals.changed") } catch { complain(error) }
      isTelling = false
      if isDue {
        isDue = false
        announce()
      }
    }
  }

  private func complain(_ error: any Error) {
    guard !hasComplained, case BatonError.refused(let code, _) = error else { return }
    hasComplained = true
    talk("baton: who looks is not told of changes at once (\(code)); give the desk: broadcast approvals.changed")
  }
}

extension Question {
  fileprivate func line(_ id: String, _ link: String) -> [UInt8] {
    Array(
      #"{"op":"asked","id":"\#(id)","topic":\#(Payload(text: topic)),"from":\#(Payload(text: from)),"link":\#(Payload(text: link))}"#
        .utf8)
  }
}

extension ApprovalBook.Ended {
  fileprivate var line: [UInt8] {
    let who = who.map { #","who":\#(Payload(text: $0))"# } ?? ""
    return Array(#"{"op":"ended","id":"\#(id)","how":"\#(how.rawValue)"\#(who)}"#.utf8)
  }
}

extension String {
  /// For chat programs, which make links and more of some signs: letters, digits and a few others stay.
  fileprivate var plain: String {
    String(prefix(200).map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-~#".contains($0)) ? $0 : "?" })
  }
}
