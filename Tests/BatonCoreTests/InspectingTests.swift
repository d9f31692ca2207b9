import Testing

@testable import BatonCore

/// How much one `inspect` tells (contract, section 8).
@Suite struct InspectingTests {
  private func stage(links: Int) -> Stage {
    let stage = Stage()
    stage.open("handler", "sender")
    for number in 0..<links {
      stage.say("handler", #"{"op":"insert","chain":"c\#(number % 7)","handler":"h\#(number)","reply":false}"#)
    }
    return stage
  }

  @Test(arguments: [(1000, 1000, false), (1001, 1000, true), (1500, 1000, true)])
  func aThousandLinksAreToldAndThatThereAreMore(links: Int, told: Int, isMore: Bool) throws {
    let stage = stage(links: links)
    stage.say("sender", #"{"op":"inspect"}"#)
    let line = try #require(stage.hear("sender").first)
    #expect(line.matches(of: /"handler":/).count == told)
    #expect((line.member("more") == "true") == isMore)
  }
}
