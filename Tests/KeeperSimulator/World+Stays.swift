import BatonCore
import WorldKit

/// Values and kept events, in worlds with nodes.
extension World {
  static let keptTopics = [KeptTopics(pattern: Array("k.>".utf8), keep: 1000)]

  func publish() {
    guard let peer = opened(.sender) else { return }
    let (mark, id) = (newMark(), judge.nextID)
    if luck.chance(50) {
      say(#"{"op":"broadcast","topic":"k.\#(luck.below(2))","payload":\#(mark),"reply":false}"#, peer)
      return
    }
    let (topic, isGone) = ("v.\(luck.below(3))", luck.chance(20))
    judge.sets(topic, to: isGone ? nil : mark, peer)
    judge.says(Judge.Request(kind: .publish, peer: peer))
    let payload = isGone ? "null" : String(mark)
    say(#"{"op":"broadcast","id":\#(id),"topic":"\#(topic)","payload":\#(payload),"retain":true}"#, peer)
  }

  /// Somebody looks what the server has, and reads on.
  func view() {
    let viewer = open(.reader)
    judge.beginsToView()
    say(#"{"op":"subscribe","topics":["v.>"],"retained":true}"#, viewer)
    judge.hasViewed()
    close(viewer)
    let reader = open(.reader)
    let after = max(0, judge.stays.position - luck.below(4))
    let from = judge.stays.epoch.map { #","after":\#(after),"epoch":"\#($0)""# } ?? ""
    if !from.isEmpty { judge.reads(after: after) }
    say(#"{"op":"subscribe","id":0,"topics":["k.>"]\#(from)}"#, reader)
  }
}
