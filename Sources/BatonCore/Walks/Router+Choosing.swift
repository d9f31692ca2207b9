/// Links that are for a part of the messages whose topic they accept (contract, section 5, `percent`). It is looked at once for
/// each link: when the message comes to it. A link that a message passes here is for this message like a link that does not
/// accept its topic, in everything: nothing else of the link is looked at, and nothing is counted.
extension Router {
  /// Why a message is not for a link that accepts its topic, as traces and `explain` tell it; nil if it is.
  mutating func whyPassed(_ link: Slot<Link>, by walk: Slot<Walk>) -> StaticString? {
    bucket(of: walk) < links[link].settings.percent ? nil : "percent"
  }

  private mutating func bucket(of walk: Slot<Walk>) -> Int {
    if let known = walks[walk].bucket { return known }
    let bucket = findBucket(of: walk)
    walks[walk].bucket = bucket
    return bucket
  }

  private mutating func findBucket(of walk: Slot<Walk>) -> Int {
    if !walks[walk].message.key.isEmpty {
      let key = OwnedBytes(OwnedBytes(copying: walks[walk].message.key).unquoted)
      defer { extendLifetime(key) }
      spent &+= Cost.copying(key.count)
      return Bucket.of(key.bytes)
    }
    let attempt = walks[walk].attempt
    return attempt == .nobody
      ? Bucket.of(String(walks[walk].number).utf8) : Bucket.of(desk.attempts[attempt].stored.text)
  }
}
