import BatonCore
import ConditionKit
import Testing

/// One condition, one message and the answer, for the core and the model alike.
struct AnswerCase {
  var condition: String
  /// The payload, or all parts.
  var message: [String: String]
  var answer: String

  /// A condition on the member `a` of a payload, and what stands there.
  init(_ alternatives: String, _ value: String?, _ answer: Answer) {
    condition = #"{"payload":{"a":\#(alternatives)}}"#
    message = ["payload": value.map { #"{"a":\#($0)}"# } ?? "{}", "topic": #""t""#]
    self.answer = "\(answer)"
  }

  init(whole condition: String, _ message: [String: String], _ answer: Answer) {
    (self.condition, self.message, self.answer) = (condition, message, "\(answer)")
  }

  init(_ condition: String, payload: String, _ answer: Answer) {
    self.init(whole: #"{"payload":\#(condition)}"#, ["payload": payload, "topic": #""t""#], answer)
  }

  func check(_ location: SourceLocation = #_sourceLocation) {
    var twins = ConditionTwins()
    let (words, outcome) = twins.disagreement(condition, message, identity: true)
    #expect(words == nil, "\(condition) \(message)", sourceLocation: location)
    #expect(outcome == .answered(answer), "\(condition) \(message)", sourceLocation: location)
  }
}
