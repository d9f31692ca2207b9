import BatonClient

/// What a result means for the call. It knows no agent.
struct HookJudge {
  private let permitting: [String]
  private let time: String
  private let chain: String

  init(_ options: HookOptions) { (permitting, time, chain) = (options.permitting, options.time, options.chain) }

  /// What is ours, and not a link's.
  static func broken(_ words: String) -> String { "The guard is broken: \(words.ended) Nothing was run." }

  /// Why the call is refused; nil: the chain has said yes.
  func refusal(_ line: Payload, _ question: HookQuestion) -> String? {
    // The payload in it has levels of its own.
    guard let result = try? JSONTree(line.bytes, most: 80), result["op"]?.text == "result",
      let status = result["status"]?.text
    else {
      return HookJudge.broken("the server's result cannot be read")
    }
    let by = result["by"]?.text ?? "the chain"
    switch status {
    case "handled": break
    case "rejected":
      return "Refused by \(by): \((result["message"]?.text ?? "no reason was given").ended) Nothing was run."
    case "unhandled" where result["failures"] == nil && result["more_failures"] == nil:
      return "Refused by the chain \(chain): no link permits it. Nothing was run."
    case "timeout": return "Nobody decided in \(time). Nothing was run."
    default: return HookJudge.broken(fault(result, status, by))
    }
    guard let name = result["by"]?.text, permitting.contains(name) else {
      return "Refused by \(by): it ended the call there, and did not permit it. Nothing was run."
    }
    if result["failures"] != nil || result["more_failures"] != nil {
      return HookJudge.broken("a link has failed, so not every rule was asked")
    }
    if result["hidden"] != nil || result["truncated"] != nil {
      return HookJudge.broken("the guard does not see who has permitted")
    }
    return unlike(result["payload"], line.bytes, question)
  }

  /// What has gone wrong, in words.
  private func fault(_ result: JSONTree, _ status: String, _ by: String) -> String {
    switch (status, result["cause"]?.text) {
    case ("unhandled", _): "a link has failed, and no other one permits the call"
    case (_, "timeout"): "\(by) did not decide in its time"
    case (_, "disconnect"): "\(by) is away"
    case (_, let cause): "\(by) has \(status)" + ((result["message"]?.text ?? cause).map { ": \($0)" } ?? "")
    }
  }

  /// Why what came back is not the call that was asked about; nil: it is.
  private func unlike(_ payload: JSONTree?, _ bytes: [UInt8], _ question: HookQuestion) -> String? {
    guard let payload, payload.members != nil, let asked = try? JSONTree(question.payload, most: 70) else {
      return HookJudge.broken("it was permitted without saying what")
    }
    if payload.means(asked, in: bytes, question.payload) { return nil }
    let members = (payload.members ?? []).map(\.name).sorted()
    let isSameCall =
      members == (asked.members ?? []).map(\.name).sorted()
      && ["agent", "tool", "server"].allSatisfy { name in
        guard let said = payload[name] else { return asked[name] == nil }
        return asked[name].map { said.means($0, in: bytes, question.payload) } ?? false
      }
    guard isSameCall, let arguments = payload["arguments"] else {
      return HookJudge.broken("another call was permitted")
    }
    let text = String(decoding: bytes[arguments.range], as: UTF8.self)
    let told =
      text.count <= 2000 ? "permitted only with these arguments: \(text)" : "permitted only with other arguments"
    return "Not run as asked: \(told.ended) Nothing was run."
  }
}
