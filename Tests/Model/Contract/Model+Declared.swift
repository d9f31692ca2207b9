/// Declared chains: what peers cannot change, and what messages find there (contract, section 12).
extension Model {
  func declaration(of chain: String) -> Declaration? { declarations.first { $0.chain == chain } }

  private func declared(_ link: Int) -> FileLink? {
    guard links[link].isDeclared else { return nil }
    return declaration(of: links[link].chain)?.links.first { $0.name == links[link].name }
  }

  mutating func notAllowed() -> Refusal {
    seen.insert(.notAllowed)
    return Refusal("not_allowed")
  }

  /// A chain that is declared and not open takes nobody.
  mutating func refuseInClosed(_ chain: String) throws(Refusal) {
    guard let declaration = declaration(of: chain), !declaration.isOpen, keeps(.closedTakesNobody) else { return }
    seen.insert(.closedRefused)
    throw notAllowed()
  }

  // MARK: Members

  /// The settings of a declared link with what its handler has brought.
  func inForce(_ declared: FileLink, _ brought: Brought) -> LinkSettings {
    var settings = LinkSettings(window: declared.window ?? brought.window ?? self.settings.window)
    settings.accepts = declared.accepts
    settings.timeoutMilliseconds = declared.timeoutMilliseconds ?? brought.timeoutMilliseconds
    settings.onFailure = declared.onFailure
    settings.share = declared.share
    settings.holdMilliseconds = declared.holdMilliseconds
    settings.required = declared.required
    settings.shadow = declared.shadow
    settings.percent = declared.percent
    settings.when = SaidCondition.asking(declared.when)
    settings.together = declared.together
    return settings
  }

  /// What a line counts for at a declared link: the settings that are in force then, what the handler has brought, and the
  /// members that do not count, in the order of the line. `old` is what was brought before.
  mutating func take(
    _ wish: GivenSettings, _ place: Place? = nil, at link: Int, over line: LinkSettings, old: Brought, _ asked: Asked
  ) -> (settings: LinkSettings, brought: Brought, ignored: [String]) {
    var brought = old
    if let timeout = wish.timeoutMilliseconds { brought.timeoutMilliseconds = timeout }
    if let window = wish.window { brought.window = window }
    guard let declared = declared(link) else { return (line, brought, []) }
    var settings = inForce(declared, brought)
    if !keeps(.declaredSettingsStay) {
      settings.required = wish.required ?? settings.required
      settings.onFailure = wish.onFailure ?? settings.onFailure
    }
    if !keeps(.onlyTheFileShares) { settings.share = wish.share ?? settings.share }
    let differ: [(String, Bool)] = [
      ("accepts", wish.accepts.map { $0 != settings.accepts } ?? false),
      ("timeout_ms", wish.timeoutMilliseconds.map { $0 != settings.timeoutMilliseconds } ?? false),
      ("window", wish.window.map { $0 != settings.window } ?? false),
      ("on_failure", wish.onFailure.map { $0 != settings.onFailure } ?? false),
      ("share", wish.share.map { $0 != settings.share } ?? false),
      ("hold_ms", wish.holdMilliseconds.map { $0 != settings.holdMilliseconds } ?? false),
      ("required", wish.required.map { $0 != settings.required } ?? false),
      ("shadow", wish.shadow.map { $0 != settings.shadow } ?? false),
      ("percent", wish.percent.map { $0 != settings.percent } ?? false),
      ("when", wish.when.map { SaidCondition.asking($0) != settings.when } ?? false),
      (place?.member ?? "", place.map { $0.rank != links[link].rank } ?? false),
    ]
    let ignored = differ.filter(\.1).map(\.0).sorted { asked.place(of: $0) < asked.place(of: $1) }
    if !ignored.isEmpty { seen.insert(.ignored) }
    return (settings, brought, ignored)
  }

  // MARK: What messages see

  /// A link as a message sees it that entered its chain at this version.
  func seen(_ link: Int, since entered: Int) -> (settings: LinkSettings, isDeclared: Bool) {
    if keeps(.settingsAreOfEntry), let past = links[link].past.first(where: { $0.until > entered }) {
      return (past.settings, past.isDeclared)
    }
    return (links[link].settings, links[link].isDeclared)
  }

  /// The same for the link to which the message comes, or where it stands.
  func seen(_ link: Int, by walk: Int) -> (settings: LinkSettings, isDeclared: Bool) {
    seen(link, since: walks[walk].frames.last?.entered ?? .max)
  }

  /// The link's place or settings change. Messages that are in its chain go on seeing it as it was.
  mutating func keepPast(of link: Int) {
    raiseVersion(of: links[link].chain)
    links[link].past.append(
      Past(until: version, settings: links[link].settings, isDeclared: links[link].isDeclared))
  }

  /// Whether the message passes the link if nobody serves it.
  func passesEmpty(_ link: Int, _ walk: Int) -> Bool {
    let seen = seen(link, by: walk)
    return seen.isDeclared && !seen.settings.required && keeps(.emptyPasses)
  }

  /// Whether a message that waits at an empty place goes on when its time there is over. If its offer was lost, the link
  /// has failed it.
  func goesOnInVain(_ walk: Int, at link: Int) -> Bool {
    walks[walk].stand?.wasRepeated != true && passesEmpty(link, walk)
  }
}

extension Place {
  /// How a line says it.
  var member: String {
    switch self {
    case .front, .back: "at"
    case .before: "before"
    case .after: "after"
    case .rank: "rank"
    }
  }

  var rank: Double? {
    if case .rank(let spelled) = self { return Double(spelled) }
    return nil
  }
}

extension Asked {
  /// Where a member stands in the line.
  func place(of member: String) -> Int {
    let (line, wanted) = (Array(line.utf8), Array("\"\(member)\"".utf8))
    return line.indices.first { line[$0...].starts(with: wanted) } ?? .max
  }
}
