/// `send` with mode `notify`: tells every link at once, and expects no verdicts (contract, section 4). A notice walks
/// like a message, and passes every link.
extension Router {
  /// Tells a link, unless its handler is too far behind. A dropped notice is counted, and the handler is told later.
  mutating func tellLink(_ link: Slot<Link>, of walk: Slot<Walk>, isShadow: Bool, at now: Instant) {
    guard links[link].fate == nil, let replica = nextReplica(of: link, at: now, isForNotice: true) else { return }
    let handler = replicas[replica].connection
    guard hasRoomForEvents(handler, ofBytes: walks[walk].message.count, at: now) else { return }
    paySender(Cost.delivery, of: walk)
    payCopy(of: walk, isShadow: isShadow)
    var writer = beginLine(to: handler, atMost: 160 + replicas[replica].label.count + walks[walk].message.count)
    writer.literal("{\"op\":\"notice\"")
    writer.padded(walks[walk].message.walkMember)
    writer.byte(UInt8(ascii: ","))
    writer.padded(replicas[replica].label.bytes)
    writer.raw(walks[walk].message.members)
    writer.padded(walks[walk].message.fromMember)
    writer.within(Int(walks[walk].within))
    if isShadow { writer.literal(",\"shadow\":true") }
    if walks[walk].isDoubtful {
      writer.literal(",\"when\":\"unknown\"")
      countDoubt(at: link)
    }
    writer.literal("}\n")
    commitEvent(writer, to: handler)
    if !isShadow { walks[walk].hops += 1 }
  }

  /// Every link has been told, or the time is over: replies to how many, and forgets the walk.
  mutating func endNotice(_ walk: Slot<Walk>, at now: Instant) {
    let sender = walks[walk].sender
    if walks[walk].wantsResult, isListening(sender) {
      mark(.ok, for: sender.slot)
      var writer = beginLine(to: sender.slot, atMost: 64 + walks[walk].message.id.count)
      writer.literal("{\"op\":\"ok\"")
      writer.id(walks[walk].message.id)
      writer.delivered(walks[walk].hops)
      writer.literal("}\n")
      commitLine(writer, to: sender.slot, at: now)
    }
    forgetWalk(walk, at: now)
  }
}
