/// What the configuration file says about one chain: which links stand in it, in which order (contract, section 12). Whoever
/// makes one has checked it: names are right, and each stands once in its chain.
public struct ChainDeclaration: Equatable, Sendable {
  /// The chain.
  public var chain: String
  /// Whether others may stand behind the declared links. Otherwise the chain has these links and no others.
  public var isOpen = false
  /// The links, in their order.
  public var links: [DeclaredLink]

  /// A chain that has these links and no others.
  public init(chain: String, links: [DeclaredLink], isOpen: Bool = false) {
    self.chain = chain
    self.links = links
    self.isOpen = isOpen
  }
}

/// One link of a declared chain: a place that is always there.
public struct DeclaredLink: Equatable, Sendable {
  /// The handler's name, or that of the mounted chain.
  public var name: String
  /// Whether it is a chain that is mounted here. It then has no settings but `accepts`, `percent`, `when` and `together`.
  public var isMount = false
  /// The patterns of the topics that it is for. Each is right.
  public var accepts = [">"]
  /// How long one offer may take, in milliseconds. Nil: its handler says it.
  public var timeoutMilliseconds: Int?
  /// The number of offers that one connection may hold at once. Nil: its handler says it.
  public var window: Int?
  /// Whether a failure, by its cause, ends the walk.
  public var onFailure = FailurePolicy.goOn
  /// Whether several connections may serve it.
  public var isShared = false
  /// How long messages wait after its last connection has gone, in milliseconds.
  public var holdMilliseconds = 0
  /// Whether messages fail there while nobody serves it.
  public var isRequired = false
  /// Whether the link gets copies, which no walk waits for.
  public var isShadow = false
  /// The part of the messages that it is for, in percent.
  public var percent = 100
  /// What a message has to say that it is for; nil: nothing.
  package var when: LinkCondition?
  /// Of a mount: whether the links of the mounted chain are asked at once.
  public var isTogether = false

  /// A link for each topic, with the default of each setting.
  public init(_ name: String) { self.name = name }
}
