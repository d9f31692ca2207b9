/// Links that ask what a message says (contract, section 5, `when`).
extension Model {
  /// Whether a message is for the link to which it comes now.
  func ask(_ link: Int, about walk: Int) -> SaidAnswer {
    let settings = seen(link, by: walk).settings
    if settings.shadow, !keeps(.shadowsHaveConditions) { return .fits }
    if links[link].isMount, !keeps(.mountsHaveConditions) { return .fits }
    if walks[walk].mode == .notify, !keeps(.noticesHaveConditions) { return .fits }
    let answer = ask(settings, about: walk, areListsUnknown: false)
    return answer == .unknown && !keeps(.doubtIsAsked) ? .no : answer
  }

  func ask(_ settings: LinkSettings, about walk: Int, areListsUnknown: Bool) -> SaidAnswer {
    guard let when = settings.when else { return .fits }
    let message = walks[walk].message
    let payload = keeps(.rewritesCount) ? walks[walk].payload : message.payload
    return when.answer(
      Self.parts(message.topic, payload, message.meta, message.key), areListsUnknown: areListsUnknown)
  }

  static func parts(_ topic: String, _ payload: String?, _ meta: String?, _ key: String?) -> [String: SaidJSON] {
    var parts = ["topic": SaidJSON("\"\(topic)\"")]
    if let payload { parts["payload"] = SaidJSON(payload) }
    if let meta { parts["meta"] = SaidJSON(meta) }
    if let key { parts["key"] = SaidJSON("\"\(key)\"") }
    return parts
  }
}
