import BatonCore
import WorldKit

/// What the operator of a world writes about chains into the configuration file.
enum ChainFile {
  static func new(using luck: inout Generator) -> [ChainDeclaration] {
    Vocabulary.chains.compactMap { luck.chance(60) ? declaration(of: $0, using: &luck) : nil }
  }

  /// All chains are declared without links: so nothing is left in them, not even mounts.
  static func closed(_ chains: [String]) -> [ChainDeclaration] {
    chains.map { ChainDeclaration(chain: $0, links: []) }
  }

  private static func declaration(of chain: String, using luck: inout Generator) -> ChainDeclaration {
    var declaration = ChainDeclaration(chain: chain, links: [], isOpen: luck.chance(60))
    for _ in 0..<luck.between(1...4) { add(to: &declaration, using: &luck) }
    return declaration
  }

  /// One link more. Mounts lead to chains behind this one only: so the file alone has no circle.
  private static func add(to declaration: inout ChainDeclaration, using luck: inout Generator) {
    let behind = Array(Vocabulary.chains.drop { $0 != declaration.chain }.dropFirst())
    let isMount = luck.chance(20) && !behind.isEmpty
    let name = isMount ? luck.pick(behind) : luck.pick(Vocabulary.names)
    guard !declaration.links.contains(where: { $0.name == name }) else { return }
    var link = DeclaredLink(name)
    link.isMount = isMount
    if isMount {
      if luck.chance(50) { link.accepts = [RequestMaker<Plan>.pattern(using: &luck)] }
      if luck.chance(20) { link.percent = luck.pick(RequestMaker<Plan>.parts) }
      if luck.chance(20) { link.when = luck.pick(PlainCondition.allCases).link }
      link.isTogether = luck.chance(40)
    } else {
      settle(&link, using: &luck)
    }
    declaration.links.insert(link, at: luck.below(declaration.links.count + 1))
  }

  private static func settle(_ link: inout DeclaredLink, using luck: inout Generator) {
    link.isRequired = luck.chance(50)
    link.onFailure = luck.chance(50) ? .stop : .goOn
    if luck.chance(30) { link.accepts = [RequestMaker<Plan>.pattern(using: &luck)] }
    if luck.chance(30) { link.timeoutMilliseconds = luck.between(1...200) }
    if luck.chance(30) { link.window = luck.between(1...3) }
    if luck.chance(30) { link.holdMilliseconds = luck.between(1...300) }
    link.isShared = luck.chance(30)
    link.isShadow = luck.chance(5)
    link.percent = luck.chance(20) ? luck.pick(RequestMaker<Plan>.parts) : 100
    link.when = luck.chance(20) ? luck.pick(PlainCondition.allCases).link : nil
  }

  /// The operator changes what the file says.
  static func changed(_ old: [ChainDeclaration], using luck: inout Generator) -> [ChainDeclaration] {
    var new = old
    for _ in 0..<(luck.chance(30) ? 2 : 1) { change(&new, using: &luck) }
    return new
  }

  private static func change(_ new: inout [ChainDeclaration], using luck: inout Generator) {
    let chain = luck.pick(Vocabulary.chains)
    guard let at = new.firstIndex(where: { $0.chain == chain }) else {
      return new.insert(declaration(of: chain, using: &luck), at: luck.below(new.count + 1))
    }
    let count = new[at].links.count
    let place = count > 0 ? luck.below(count) : 0
    switch luck.below(12) {
    case 0: new.remove(at: at)
    case 1: new[at].isOpen.toggle()
    case 2: new[at] = declaration(of: chain, using: &luck)
    case 3: add(to: &new[at], using: &luck)
    case 4 where count > 0: new[at].links.remove(at: place)
    case 5 where count > 0: rename(&new[at], place, using: &luck)
    case 6...8: luck.shuffle(&new[at].links)
    case _ where count == 0: add(to: &new[at], using: &luck)
    case _ where new[at].links[place].isMount:
      new[at].links[place].accepts = [RequestMaker<Plan>.pattern(using: &luck)]
    default: settle(&new[at].links[place], using: &luck)
    }
  }

  private static func rename(_ declaration: inout ChainDeclaration, _ place: Int, using luck: inout Generator) {
    let name = luck.pick(Vocabulary.names)
    guard !declaration.links[place].isMount, !declaration.links.contains(where: { $0.name == name }) else { return }
    declaration.links[place].name = name
  }
}
