import BatonClient
import BatonCore

/// Which links guard: no message gets past them that they have not let pass.
extension Inspection.Link {
  /// `on_failure`: one word for all causes, or a word for each of some.
  struct Policy: Decodable {
    /// The causes that end a walk, in the contract's order.
    let stopping: [String]

    init(from decoder: any Decoder) throws {
      let causes = Cause.allCases.map { "\($0.spelling)" }
      let value = try decoder.singleValueContainer()
      if let all = try? value.decode(String.self) {
        stopping = all == "stop" ? causes : []
      } else {
        let some = try value.decode([String: String].self)
        stopping = causes.filter { some[$0] == "stop" }
      }
    }

    var stopsAlways: Bool { stopping.count == Cause.allCases.count }
  }

  /// `always`: messages fail there whatever is wrong, also without a handler. `served`: messages pass it while nobody serves
  /// it. Otherwise the causes that stop messages. Empty: none is stopped.
  var guards: String {
    guard let onFailure, mount == nil, state != "shadow", !onFailure.stopping.isEmpty else { return "" }
    if onFailure.stopsAlways { return required == true ? "always" : "served" }
    return onFailure.stopping.joined(separator: ",")
  }
}
