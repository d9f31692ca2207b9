import BatonCore
import BatonModel
import WorldKit

/// Worlds in which the configuration file declares chains, and changes.
extension Plan {
  /// Where one of these limits is reached, the model does not know when messages forget what they have seen.
  private var mayRearrange: Bool {
    guard let tight else { return true }
    return ![.links, .totalPatterns, .patterns, .places, .mounts].contains(tight)
  }

  /// Whether messages under way may see many older places of links. The contract leaves open which ranks links get where
  /// there is no room and very much stands there.
  var mayCrowd: Bool { moves > 0 || rearranges > 0 }

  mutating func declareChains(using luck: inout Generator) {
    moves = mayRearrange && !isLong ? luck.pick([0, 20, 50]) : 0
    guard luck.chance(60) else { return }
    if luck.chance(30) || !mayRearrange {
      if mayStop || tight != nil, !hasLongPayloads {
        modelSettings.declarations = [.guarding(luck.pick(names), in: luck.pick(chains))]
      }
    } else {
      for chain in chains where luck.chance(60) {
        modelSettings.declarations.append(declaration(of: chain, using: &luck))
      }
    }
    if mayRearrange, chains.count > 2, luck.chance(40) { leaveRoomInFront() }
    coreSettings.chains = modelSettings.declarations.map(CoreChains.declaration)
    // Otherwise handlers would seldom say the same as the file.
    for declaration in modelSettings.declarations where declaration.isOpen {
      guard let index = names.firstIndex(of: declaration.links.first?.name ?? "") else { continue }
      (recipes[index].accepts, recipes[index].onFailure, recipes[index].required) = (nil, nil, nil)
    }
    guard mayRearrange else { return }
    rearranges = luck.pick([0, 5, 20, 60])
    reloads = max(reloads, rearranges / 4)
  }

  /// The first chain mounts the second one, in which peers may do as they like, and behind it the third one. Peers mount
  /// the third one in the second: so messages come there early.
  private mutating func leaveRoomInFront() {
    mountsEarly = true
    var first = Declaration(chain: chains[0], links: [FileLink(chains[1]), FileLink(chains[2])])
    for link in first.links.indices { (first.links[link].isMount, first.links[link].accepts) = (true, [">"]) }
    modelSettings.declarations.removeAll { $0.chain == chains[0] || $0.chain == chains[1] }
    modelSettings.declarations.insert(first, at: 0)
  }

  private func declaration(of chain: String, using luck: inout Generator) -> Declaration {
    var declaration = Declaration(chain: chain, links: [])
    declaration.isOpen = luck.chance(60)
    for _ in 0..<luck.between(0...4) { add(to: &declaration, using: &luck) }
    return declaration
  }

  /// One link more. Mounts lead to chains behind this one only: so the file alone has no circle.
  private func add(to declaration: inout Declaration, using luck: inout Generator) {
    let behind = chains.drop { $0 != declaration.chain }.dropFirst()
    let isMount = luck.chance(25) && !behind.isEmpty
    let name = isMount ? luck.pick(Array(behind)) : luck.pick(names)
    guard !declaration.links.contains(where: { $0.name == name }) else { return }
    var link = FileLink(name)
    link.isMount = isMount
    if isMount { link.accepts = luck.chance(50) ? [">"] : [RequestMaker<Plan>.pattern(using: &luck)] }
    if isMount, luck.chance(15) { link.when = Self.condition(using: &luck) }
    if isMount { link.together = luck.chance(40) }
    if isMount, luck.chance(15) { link.percent = luck.pick(RequestMaker<Plan>.parts) }
    if !isMount { settle(&link, using: &luck) }
    declaration.links.insert(link, at: luck.below(declaration.links.count + 1))
  }

  private func settle(_ link: inout FileLink, using luck: inout Generator) {
    let given = RequestMaker<Plan>.settings(self, isFull: true, using: &luck)
    link.accepts = luck.chance(50) ? [">"] : given.accepts ?? [">"]
    link.timeoutMilliseconds = given.timeoutMilliseconds
    link.window = given.window
    link.onFailure = given.onFailure ?? .continue
    link.share = given.share ?? false
    link.holdMilliseconds = given.holdMilliseconds ?? 0
    link.required = given.required ?? false
    link.shadow = luck.chance(5)
    link.percent = given.percent ?? 100
    link.when = given.when.flatMap { $0 == "{}" ? nil : $0 }
  }

  private static func condition(using luck: inout Generator) -> String? {
    let condition = luck.pick(RequestMaker<Plan>.conditions)
    return condition == "{}" ? nil : condition
  }

  /// The operator changes what the file says about chains.
  func rearranged(_ old: [Declaration], using luck: inout Generator) -> [Declaration] {
    var new = old
    for _ in 0..<(luck.chance(30) ? 2 : 1) { rearrange(&new, using: &luck) }
    return new
  }

  private func rearrange(_ new: inout [Declaration], using luck: inout Generator) {
    let chain = luck.pick(chains)
    guard let at = new.firstIndex(where: { $0.chain == chain }) else {
      return new.insert(declaration(of: chain, using: &luck), at: luck.below(new.count + 1))
    }
    let count = new[at].links.count
    switch luck.below(12) {
    case 0: new.remove(at: at)
    case 1: new[at].isOpen.toggle()
    case 2: new[at] = declaration(of: chain, using: &luck)
    case 3, 4: add(to: &new[at], using: &luck)
    case 5 where count > 0: new[at].links.remove(at: luck.below(count))
    case 6, 7: luck.shuffle(&new[at].links)
    case 8...:
      guard count > 0 else { return add(to: &new[at], using: &luck) }
      let place = luck.below(count)
      if new[at].links[place].isMount {
        new[at].links[place].accepts = [RequestMaker<Plan>.pattern(using: &luck)]
      } else if luck.chance(40) {
        settle(&new[at].links[place], using: &luck)
      } else {
        change(&new[at].links[place], using: &luck)
      }
    default: break
    }
  }

  /// One setting is another one.
  private func change(_ link: inout FileLink, using luck: inout Generator) {
    switch luck.below(10) {
    case 7 where link.isMount: link.together.toggle()
    case 9: link.when = link.when == nil ? Self.condition(using: &luck) : nil
    case 8: link.percent = link.percent == 100 ? luck.pick(RequestMaker<Plan>.parts) : 100
    case 0: link.accepts = [RequestMaker<Plan>.pattern(using: &luck)]
    case 1: link.timeoutMilliseconds = link.timeoutMilliseconds == nil ? luck.pick(timeouts) : nil
    case 2: link.window = link.window == nil ? luck.between(1...3) : nil
    case 3: link.onFailure = mayStop && link.onFailure == .continue ? .stop : .continue
    case 4: link.share.toggle()
    case 5: link.holdMilliseconds = link.holdMilliseconds == 0 ? luck.pick(holds) : 0
    case 6: link.required.toggle()
    default: link.holdMilliseconds = link.holdMilliseconds == 0 ? 0 : luck.pick(holds) * luck.between(1...3)
    }
  }
}

/// What the core is told of declared chains.
enum CoreChains {
  static func declaration(_ told: Declaration) -> ChainDeclaration {
    ChainDeclaration(chain: told.chain, links: told.links.map(link), isOpen: told.isOpen)
  }

  private static func link(_ told: FileLink) -> DeclaredLink {
    var link = DeclaredLink(told.name)
    link.isMount = told.isMount
    link.accepts = told.accepts
    link.timeoutMilliseconds = told.timeoutMilliseconds
    link.window = told.window
    for cause in BatonCore.Cause.allCases {
      guard let same = BatonModel.Cause(rawValue: "\(cause.spelling)") else { continue }
      link.onFailure[cause] = told.onFailure.stops(same)
    }
    link.isShared = told.share
    link.holdMilliseconds = told.holdMilliseconds
    link.isRequired = told.required
    link.isShadow = told.shadow
    link.percent = told.percent
    link.isTogether = told.together
    link.when = told.when.flatMap { try? Condition.read(json: Array($0.utf8), identity: true) }.map(LinkCondition.init)
    return link
  }
}
