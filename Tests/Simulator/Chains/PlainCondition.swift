import BatonCore

/// Conditions of declared links whose answers are plain: on topics and keys (contract, section 5, `when`).
enum PlainCondition: String, CaseIterable {
  case keyed = #"{"key":[{"exists":true}]}"#
  case unkeyed = #"{"key":[{"exists":false}]}"#
  case doors = #"{"topic":[{"prefix":"door"}]}"#
  case others = #"{"topic":[{"anything-but":{"prefix":"door"}}]}"#
  /// Nobody knows it of a message without a key.
  case anotherKey = #"{"key":[{"anything-but":"k"}]}"#

  enum Expected { case no, unknown, fits }

  /// What the file says of a link; nil if that is no condition.
  init?(of link: DeclaredLink) {
    guard let when = link.when else { return nil }
    self.init(rawValue: String(decoding: when.condition.spelling, as: UTF8.self))
  }

  var link: LinkCondition? {
    (try? Condition.read(json: Array(rawValue.utf8), identity: false)).map(LinkCondition.init)
  }

  func answer(to walked: Walked) -> Expected {
    switch self {
    case .keyed: walked.key != nil ? .fits : .no
    case .unkeyed: walked.key == nil ? .fits : .no
    case .doors: walked.topic.hasPrefix("door") ? .fits : .no
    case .others: walked.topic.hasPrefix("door") ? .no : .fits
    case .anotherKey: walked.key.map { $0 == "k" ? .no : .fits } ?? .unknown
    }
  }
}
