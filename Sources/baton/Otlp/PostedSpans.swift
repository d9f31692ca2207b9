import BatonClient
import Curl

/// What came of spans that were posted to a collector (opentelemetry-proto 1, `ExportTraceServiceResponse`).
struct PostedSpans {
  enum Outcome {
    case taken
    /// Some of them, or all of them with a warning.
    case partly
    /// They are posted again.
    case later
    /// They would never be taken.
    case refused
  }

  let outcome: Outcome
  /// How many are lost.
  let lost: Int
  private let why: String

  init(_ outcome: Outcome, why: String = "", lost: Int = 0) {
    (self.outcome, self.why, self.lost) = (outcome, why, lost)
  }

  /// What the collector has answered to so many.
  init(_ count: Int, _ answer: WebAnswer) {
    switch answer.status {
    case 200..<300:
      let said = try? Payload(json: String(decoding: answer.body, as: UTF8.self)).decode(Answer.self).partialSuccess
      let lost = min(max(0, said?.rejectedSpans?.number ?? 0), count)
      let why = said?.errorMessage ?? ""
      self.init(lost == 0 && why.isEmpty ? .taken : .partly, why: PostVerdict.cut(why, to: 256), lost: lost)
    // OTLP says which are tried again.
    case 429, 502, 503, 504: self.init(.later, why: "it answers with status \(answer.status)")
    default: self.init(.refused, why: "it answers with status \(answer.status)", lost: count)
    }
  }

  /// For people. What the collector says is in quotes: it is not ours.
  var words: String {
    switch outcome {
    case .taken: "the collector takes traces again"
    case .partly:
      (lost > 0 ? "the collector does not take all spans" : "the collector warns") + (why.isEmpty ? "" : ": \"\(why)\"")
    case .later: "the collector takes no traces: \(why)"
    case .refused: "the collector refuses traces: \(why)"
    }
  }

  private struct Answer: Decodable {
    struct Partly: Decodable {
      let rejectedSpans: Count?
      let errorMessage: String?
    }

    /// A number of 64 bits is a text in the JSON of protobuf, and some write it as a number.
    struct Count: Decodable {
      let number: Int

      init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        number = try (try? value.decode(Int.self)) ?? Int(value.decode(String.self)) ?? 0
      }
    }

    let partialSuccess: Partly?
  }
}
