import BatonClient
import Testing

@testable import baton

/// Who may see and end which question, on a clock that the tests move (Docs/approvals.md).
@Suite struct ApprovalBookTests {
  private let start = ContinuousClock.now

  private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

  private func question(_ id: Int, _ json: String = #"{"a":1}"#) throws -> Question {
    Question(id: id, topic: "tool.\(id)", payload: try Payload(json: json), came: start, lasts: .seconds(60))
  }

  private func request(_ what: ApprovalRequest.What, _ id: String = "", _ who: ApprovalRequest.Who = .identity("ann"))
    -> ApprovalRequest
  {
    ApprovalRequest(what, id, who)
  }

  private func code(_ verdict: Verdict) -> String? { verdict.code.flatMap { try? $0.decode(String.self) } }

  private struct Told: Decodable {
    struct One: Decodable {
      let id, topic: String
      var how, who: String?
      var ends_ms: Int?
    }
    let waiting, ended: [One]
  }

  private func list(_ book: inout ApprovalBook, at seconds: Int = 0) throws -> Told {
    try #require(book.answer(request(.list), at: at(seconds)).0.payload).decode(Told.self)
  }

  @Test func theFirstDecisionCountsAndIsRememberedForTenMinutes() throws {
    var book = ApprovalBook()
    let (id, _) = try #require(book.came(try question(1)))
    let (answer, decision) = book.answer(request(.decide(.approve), id), at: at(5))
    #expect(answer == .handled(["ended": "approved"]))
    #expect(decision?.number == 1 && decision?.verdict == .continue(message: "approved by ann"))
    for later: ApprovalRequest.Answer in [.approve, .refuse("no")] {
      let (answer, decision) = book.answer(request(.decide(later), id, .identity("bob")), at: at(65))
      #expect(decision == nil && code(answer) == "ended")
      #expect(answer.message == "this question has ended: approved by ann, 60.0 s ago")
    }
    #expect(try list(&book, at: 605).ended.map(\.how) == ["approved"])
    #expect(try list(&book, at: 606).ended.isEmpty)
    #expect(code(book.answer(request(.decide(.approve), id), at: at(607)).0) == "no_such_question")
  }

  @Test func aDecisionThatTheServerDoesNotTakeIsNone() throws {
    var book = ApprovalBook()
    let (id, _) = try #require(book.came(try question(1)))
    _ = book.answer(request(.decide(.approve), id), at: at(5))
    #expect(code(book.missed(1, at: at(5))) == "ended")
    #expect(try list(&book, at: 6).ended.first?.how == "lapsed")
    #expect(try list(&book, at: 6).ended.first?.who == nil)
  }

  @Test func aQuestionThatHasLapsedIsDecidedByNobody() throws {
    var book = ApprovalBook()
    let (id, secret) = try #require(book.came(try question(1)))
    #expect(book.lapsed(1, .gone, at: at(3))?.id == id)
    #expect(book.lapsed(1, .lapsed, at: at(4)) == nil)
    for who: ApprovalRequest.Who in [.identity("ann"), .link(secret: secret, pin: nil, as: nil)] {
      let (answer, decision) = book.answer(request(.decide(.approve), id, who), at: at(5))
      #expect(code(answer) == "ended" && decision == nil)
    }
  }

  @Test func aLinkOpensItsOwnQuestionAlone() throws {
    var book = ApprovalBook()
    let (one, secret) = try #require(book.came(try question(1)))
    let (other, otherSecret) = try #require(book.came(try question(2)))
    for (id, secret) in [(one, otherSecret), (other, secret), ("", secret), (one, ""), ("x", "x")] {
      for what: ApprovalRequest.What in [.show(from: 0), .decide(.approve)] {
        let (answer, decision) = book.answer(
          request(what, id, .link(secret: secret, pin: nil, as: nil)), at: start)
        #expect(code(answer) == "no_such_question" && decision == nil)
      }
    }
    #expect(book.waiting.count == 2)
  }

  @Test func theFifthWrongPINRefusesAndAWrongSecretCountsForNone() throws {
    var book = ApprovalBook(pin: ApprovalPIN("1234"))
    let (id, secret) = try #require(book.came(try question(1)))
    func ask(_ pin: String?, secret given: String? = nil) -> (Verdict, ApprovalBook.Decision?) {
      book.answer(request(.show(from: 0), id, .link(secret: given ?? secret, pin: pin, as: nil)), at: start)
    }
    for _ in 0..<9 { #expect(code(ask("0000", secret: "x").0) == "no_such_question") }
    for _ in 0..<9 { #expect(code(ask(nil).0) == "pin_needed") }
    for _ in 0..<4 { #expect(code(ask("0000").0) == "wrong_pin") }
    #expect(ask("1234").0.kind == .handled)
    let (answer, decision) = ask("12345")
    #expect(code(answer) == "ended")
    #expect(decision?.verdict == .reject("five wrong PINs"))
    #expect(code(ask("1234").0) == nil && book.waiting.isEmpty)
  }

  @Test func thereIsRoomForSoManyQuestionsAndSoManyBytes() throws {
    var book = ApprovalBook()
    for number in 1...ApprovalBook.mostWaiting { #expect(book.came(try question(number)) != nil) }
    #expect(book.came(try question(5000)) == nil)
    _ = book.lapsed(1, .gone, at: start)
    #expect(book.came(try question(5001)) != nil)
    for number in 2...ApprovalBook.mostWaiting { _ = book.lapsed(number, .gone, at: start) }
    #expect(book.ended.count == ApprovalBook.mostEnded)
    let long = "\"\(String(repeating: "x", count: 1 << 20))\""
    var fitting = 0
    while book.came(try question(6000 + fitting, long)) != nil { fitting += 1 }
    #expect(fitting == 254 || fitting == 255)
  }

  @Test func partsOfATextAreWholeCharactersAndMakeTheWhole() throws {
    var book = ApprovalBook()
    let text = String(repeating: "é😀\\\"", count: 1000)
    let (id, _) = try #require(book.came(try question(1, "\"\(text)\"")))
    struct Part: Decodable {
      var payload: String?
      var next: Int?
    }
    for most in [4, 5, 7, 64, 100_000] {
      var (whole, next): (String, Int?) = ("", 0)
      while let at = next {
        let (answer, _) = book.answer(request(.show(from: at), id), most: most, at: start)
        let part = try #require(answer.payload).decode(Part.self)
        whole += part.payload ?? ""
        next = part.next
        #expect((part.payload ?? "").utf8.count <= most)
        if let next, next <= at { break }
      }
      #expect(whole == "\"\(text)\"")
    }
  }
}
