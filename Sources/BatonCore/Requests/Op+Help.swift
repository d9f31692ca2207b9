extension Op {
  /// The examples of all ops with commas between. They are put together once: it takes longer than all else of `help`.
  static let examples = allCases.map(\.example).joined(separator: ",")

  /// A line that a person can type, for the reply to `help`.
  var example: String {
    switch self {
    case .send: #"{"op":"send","id":1,"topic":"door.open","payload":{"door":3},"timeout_ms":5000,"trace":true}"#
    case .cancel: #"{"op":"cancel","id":16,"request":1}"#
    case .insert: #"{"op":"insert","id":2,"handler":"porter","accepts":["door.*"]}"#
    case .replace: #"{"op":"replace","id":3,"handler":"porter","as":"doorman"}"#
    case .remove: #"{"op":"remove","id":4,"handler":"doorman"}"#
    case .move: #"{"op":"move","id":5,"handler":"doorman","at":"front"}"#
    case .mount: #"{"op":"mount","id":5,"chain":"kitchen","on":"house","accepts":["public.>"]}"#
    case .unmount: #"{"op":"unmount","id":6,"chain":"kitchen","on":"house"}"#
    case .handled: #"{"op":"handled","id":1,"payload":{"opened":true}}"#
    case .continue: #"{"op":"continue","id":2}"#
    case .reject: #"{"op":"reject","id":3,"message":"closed at night","code":403}"#
    case .failed: #"{"op":"failed","id":4,"message":"the key is stuck"}"#
    case .working: #"{"op":"working","id":5}"#
    case .subscribe: #"{"op":"subscribe","id":5,"topics":["door.*"]}"#
    case .unsubscribe: #"{"op":"unsubscribe","id":6,"topics":["door.*"]}"#
    case .broadcast: #"{"op":"broadcast","id":7,"topic":"door.opened","payload":3}"#
    case .hello: #"{"op":"hello","id":8,"name":"cli"}"#
    case .ping: #"{"op":"ping","id":9}"#
    case .pong: #"{"op":"pong"}"#
    case .help: #"{"op":"help"}"#
    case .inspect: #"{"op":"inspect","id":10,"chain":"main","server":true}"#
    case .explain: #"{"op":"explain","id":11,"topic":"door.open","chain":"main"}"#
    case .walks: #"{"op":"walks","id":12,"status":"failed","topic":"door.*"}"#
    case .findings: #"{"op":"findings","id":13}"#
    case .close: #"{"op":"close","id":14,"connection":12}"#
    case .reload: #"{"op":"reload","id":15}"#
    case .stored: #"{"op":"stored","id":17,"stored":"k3f9m2q8w1x7c5z4-1042"}"#
    case .dead: #"{"op":"dead","id":18,"chain":"orders"}"#
    case .resend: #"{"op":"resend","id":19,"stored":"k3f9m2q8w1x7c5z4-1042"}"#
    case .discard: #"{"op":"discard","id":20,"stored":"k3f9m2q8w1x7c5z4-1042"}"#
    }
  }
}
