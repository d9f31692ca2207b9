/// Stages: the links of a chain that is mounted `together` are asked at once (contract, section 5, "Stages").
extension Model {
  /// The number that messages say.
  func number(of walk: Int) -> Int { walks.message(of: walk) + 1 }

  /// The message has entered the chain of a mount.
  mutating func beginStage(_ mount: Int, _ walk: Int, _ settings: LinkSettings) {
    guard settings.together, walks[walk].stage == nil, walks[walk].mode != .notify else { return }
    guard keeps(.stageAsksAtOnce) else { return }
    seen.insert(.stage)
    walks[walk].stage = Walk.Stage(depth: walks[walk].frames.count)
  }

  /// As many places of a message may be open.
  private static var mostPlaces: Int { 64 }

  /// The message goes from link to link until it stays at one, or has ended; in a stage, until it has come to the end of it.
  mutating func goAlong(_ walk: Int) {
    while walks[walk].stage.map({ $0.places.count < Self.mostPlaces }) ?? true {
      if let link = nextLink(of: walk) {
        if reach(link, walk) != .goesOn { return }
        continue
      }
      guard walks[walk].stage != nil else { break }
      walks[walk].stage?.isPassed = true
      guard leaveStage(walk) else { return }
    }
    guard walks[walk].stage == nil else { return }
    let last = walks[walk].results.last
    end(walk, Outcome(status: last == nil ? "unhandled" : "handled", by: last?.by, payload: last?.payload))
  }

  /// The message is behind the stage if each of its places is settled.
  private mutating func leaveStage(_ walk: Int) -> Bool {
    guard walks[walk].stage?.places.isEmpty == true else { return false }
    walks[walk].stage = nil
    noteRoomOfSender(of: walk)
    walks[walk].frames.removeLast()
    return true
  }

  /// The message stands at one more link.
  mutating func beginPlace(of walk: Int) -> Int {
    let place = walks.appendPlace(of: walk)
    walks[walk].stage?.places.append(place)
    return place
  }

  mutating func forgetPlace(_ place: Int) {
    leave(place)
    alarms.cancel(.walk(place))
    let walk = walks.message(of: place)
    walks[walk].stage?.places.removeAll { $0 == place }
  }

  /// A place is settled. The message goes on when all are, or when there is room for another one.
  mutating func settle(_ place: Int) {
    let walk = walks.message(of: place)
    if let link = walks[place].stand?.link, lastMoment(of: walk) <= now, keeps(.deadlineWins) {
      if walks[walk].stage?.places == [place] { return end(place, Outcome(status: "timeout", by: links[link].name)) }
      forgetPlace(place)
      return miss(deadlineOf: walk)
    }
    forgetPlace(place)
    guard walks[walk].stage?.isPassed == true else { return goAlong(walk) }
    if !keeps(.stageWaitsForAll) { for place in walks[walk].stage?.places ?? [] { forgetPlace(place) } }
    if leaveStage(walk) { goAlong(walk) }
  }

  /// Whether a link in a stage cannot give this verdict: it would be open whose words count. It fails the message.
  func isMisplaced(_ verdict: Verdict, on offer: Offer) -> Bool {
    guard offer.state == .open, walks.isPlace(offer.walk), keeps(.stageTakesNoWords) else { return false }
    switch verdict.kind {
    case .handled: return walks[offer.walk].mode != .all || !keeps(.allTakesWordsInStages)
    case .continue: return verdict.payload != nil
    case .reject, .failed, .working: return false
    }
  }

  // MARK: Ending

  /// The message ends at one of its places, or on its way between them. The others are taken back.
  mutating func endInStage(_ walk: Int, _ outcome: Outcome) {
    let message = walks.message(of: walk)
    leave(walk)
    if walk != message {
      walks[message].frames = walks[walk].frames
      forgetPlace(walk)
    }
    var left: [Int] = []
    for place in walks[message].stage?.places ?? [] {
      seen.insert(.stageEnded)
      left += takeBack(place)
    }
    walks[message].stage = nil
    end(message, outcome)
    for link in left { serve(link) }
  }

  /// A place ends with its message, and has not failed. Returns its link.
  private mutating func takeBack(_ place: Int) -> [Int] {
    guard let stand = walks[place].stand else { return [] }
    let offer = keeps(.stageTakesBack) ? withdrawOffer(stand) : nil
    startRecording(place, with: offer)
    noteCancelled(place, at: stand.link, offer)
    forgetPlace(place)
    return [stand.link]
  }

  /// The sender cancels a message that is in a stage, or its time is over.
  mutating func endStageEarly(_ walk: Int, isCancelled: Bool) {
    var (left, by): ([Int], String?) = ([], nil)
    for place in walks[walk].stage?.places ?? [] {
      guard let stand = walks[place].stand else { continue }
      let frames = walks[place].frames
      if isCancelled {
        let offer = withdrawOffer(stand)
        startRecording(place, with: offer)
        noteCancelled(place, at: stand.link, offer)
        if by == nil || !keeps(.firstPlaceIsNamed) { by = offer?.handler ?? links[stand.link].name }
      } else {
        let name = missDeadline(of: place, at: stand)
        if by == nil || !keeps(.firstPlaceIsNamed) { by = name }
      }
      if left.isEmpty { walks[walk].frames = frames }
      left.append(stand.link)
      forgetPlace(place)
    }
    seen.insert(isCancelled ? .stageCancelled : .stageMissed)
    walks[walk].stage = nil
    end(walk, Outcome(status: isCancelled ? "cancelled" : "timeout", by: by))
    for link in left { serve(link) }
  }
}
