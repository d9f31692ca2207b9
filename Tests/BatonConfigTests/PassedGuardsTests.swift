import BatonCore
import Testing

@testable import BatonConfig

/// What a reload tells of guards that messages pass by the order of links, by patterns and by mounts.
@Suite struct PassedGuardsTests {
  /// A change of a file, the warnings, and the links that are told as unguarded.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let before, after: String
    var warnings: [String] = []
    var unguarded: [String] = []
  }

  private static func configuration(_ chains: String) throws -> Configuration {
    try Configuration(file: readOpen("chains:\n" + chains), flags: Configuration.Flags())
  }

  /// The links of `orders`, and other chains.
  private static func links(_ orders: String, _ others: String...) -> String {
    "  orders: { links: [\(orders)] }\n" + others.map { "  \($0)\n" }.joined()
  }

  private static let fraud = "{ handler: fraud, required: true, on_failure: stop }"
  private static let orderFraud = "{ handler: fraud, required: true, on_failure: stop, accepts: ['order.>'] }"
  private static let (cache, mail) = ("{ handler: cache }", "{ handler: mail }")
  private static let checks = "checks: { links: [\(fraud)] }"
  private static let outer = "outer: { links: [{ mount: checks }] }"
  private static let plain = "plain: { links: [\(mail)] }"
  private static let (toChecks, toOuter, toPlain) = ("{ mount: checks }", "{ mount: outer }", "{ mount: plain }")
  private static let end = ": what it handles does not reach the guard"
  private static let isInFront = "chains.orders: \"cache\" stands in front of the guard \"fraud\" now" + end
  private static let takesMore =
    "chains.orders: \"cache\" takes more messages in front of the guard \"fraud\" now" + end
  private static let plainTakesMore = takesMore.replacing("cache", with: "plain")
  private static let shadowed = "plain: { links: [{ handler: mail, shadow: true }] }"
  private static let isInFrontOfMount =
    "chains.orders: \"cache\" stands in front of the mount \"checks\" now, which leads to the guard \"checks/fraud\""
    + end

  static let byOrder = [
    Change(
      testDescription: "a new handler stands in front", before: links(fraud), after: links("\(cache), \(fraud)"),
      warnings: [isInFront], unguarded: ["cache"]),
    Change(testDescription: "a new handler stands behind", before: links(fraud), after: links("\(fraud), \(cache)")),
    Change(
      testDescription: "a new shadow stands in front", before: links(fraud),
      after: links("{ handler: cache, shadow: true }, \(fraud)")),
    Change(
      testDescription: "a shadow in front becomes a handler",
      before: links("{ handler: cache, shadow: true }, \(fraud)"), after: links("\(cache), \(fraud)"),
      warnings: [isInFront], unguarded: ["cache"]),
    Change(
      testDescription: "a new handler in front is for other topics", before: links(orderFraud),
      after: links("{ handler: cache, accepts: ['chat.>', '*'] }, \(orderFraud)")),
    Change(
      testDescription: "a new mount stands in front", before: links(fraud, plain),
      after: links("\(toPlain), \(fraud)", plain),
      warnings: ["chains.orders: \"plain\" stands in front of the guard \"fraud\" now" + end], unguarded: ["plain"]),
    Change(
      testDescription: "the guard moves behind a handler", before: links("\(fraud), \(cache)"),
      after: links("\(cache), \(fraud)"), warnings: [isInFront], unguarded: ["fraud"]),
    Change(
      testDescription: "the guard moves to the front", before: links("\(cache), \(fraud)"),
      after: links("\(fraud), \(cache)")),
    Change(
      testDescription: "links in front change places", before: links("\(cache), \(mail), \(fraud)"),
      after: links("\(mail), \(cache), \(fraud)")),
    Change(
      testDescription: "the guard moves behind many",
      before: links("\(fraud), \(cache), \(mail), { handler: a }, { handler: b }"),
      after: links("\(cache), \(mail), { handler: a }, { handler: b }, \(fraud)"),
      warnings: [
        "chains.orders: \"cache\", \"mail\", \"a\" and others stand in front of the guard \"fraud\" now: what they handle "
          + "does not reach the guard"
      ], unguarded: ["fraud"]),
    Change(
      testDescription: "a handler in front gets a larger part",
      before: links("{ handler: cache, percent: 0 }, \(fraud)"), after: links("\(cache), \(fraud)"),
      warnings: [takesMore], unguarded: ["cache"]),
    Change(
      testDescription: "a handler in front gets a smaller part", before: links("\(cache), \(fraud)"),
      after: links("{ handler: cache, percent: 50 }, \(fraud)")),
    Change(
      testDescription: "a handler in front has no condition any more",
      before: links("{ handler: cache, when: { key: [a] } }, \(fraud)"), after: links("\(cache), \(fraud)"),
      warnings: [takesMore], unguarded: ["cache"]),
    Change(
      testDescription: "a handler in front gets a condition", before: links("\(cache), \(fraud)"),
      after: links("{ handler: cache, when: { key: [a] } }, \(fraud)")),
    Change(
      testDescription: "a mount in front gets a larger part",
      before: links("{ mount: plain, percent: 0 }, \(fraud)", plain), after: links("\(toPlain), \(fraud)", plain),
      warnings: [plainTakesMore], unguarded: ["plain"]),
    Change(
      testDescription: "a chain that is mounted in front gets a handler",
      before: links("\(toPlain), \(fraud)", "plain: { links: [] }"), after: links("\(toPlain), \(fraud)", plain),
      warnings: [plainTakesMore], unguarded: ["mail"]),
    Change(
      testDescription: "a shadow two mounts in front becomes a handler",
      before: links("{ mount: far }, \(fraud)", "far: { links: [\(toPlain)] }", shadowed),
      after: links("{ mount: far }, \(fraud)", "far: { links: [\(toPlain)] }", plain),
      warnings: [plainTakesMore.replacing("plain", with: "far")], unguarded: ["mail"]),
    Change(
      testDescription: "a chain that is mounted in front gets a handler for other topics",
      before: links("\(toPlain), \(orderFraud)", "plain: { links: [] }"),
      after: links("\(toPlain), \(orderFraud)", "plain: { links: [{ handler: mail, accepts: ['chat.>'] }] }")),
    Change(
      testDescription: "a chain that is mounted behind gets a handler",
      before: links("\(fraud), \(toPlain)", "plain: { links: [] }"), after: links("\(fraud), \(toPlain)", plain)),
    Change(
      testDescription: "a link in front accepts more",
      before: links("{ handler: cache, accepts: [order.a] }, \(orderFraud)"),
      after: links("{ handler: cache, accepts: ['order.*'] }, \(orderFraud)"),
      warnings: [takesMore], unguarded: ["cache"]),
    Change(
      testDescription: "a link in front accepts more of what the guard does not",
      before: links("{ handler: cache, accepts: [order.a] }, \(orderFraud)"),
      after: links("{ handler: cache, accepts: [order.a, 'chat.>'] }, \(orderFraud)")),
    Change(
      testDescription: "a link in front accepts the same in other words",
      before: links("{ handler: cache, accepts: ['order.>'] }, \(orderFraud)"),
      after: links("{ handler: cache, accepts: [order.a, 'order.>'] }, \(orderFraud)")),
  ]

  static let byMounts = [
    Change(
      testDescription: "a mount goes", before: links("\(toChecks), \(mail)", checks), after: links(mail, checks),
      warnings: [
        "orders/checks is not mounted any more, so messages pass the guard \"checks/fraud\" that is behind it"
      ],
      unguarded: ["checks"]),
    Change(
      testDescription: "a mount without a guard goes", before: links("\(toPlain), \(mail)", plain),
      after: links(mail, plain)),
    Change(
      testDescription: "a mount that leads to a guard through another one goes",
      before: links("\(toOuter), \(mail)", outer, checks), after: links(mail, outer, checks),
      warnings: ["orders/outer is not mounted any more, so messages pass the guard \"checks/fraud\" that is behind it"],
      unguarded: ["outer"]),
    Change(
      testDescription: "a mount is replaced by another one", before: links(toChecks, checks, plain),
      after: links(toPlain, checks, plain),
      warnings: [
        "orders/checks is not mounted any more, so messages pass the guard \"checks/fraud\" that is behind it"
      ],
      unguarded: ["checks"]),
    Change(
      testDescription: "a mount without a guard is replaced by one with a guard", before: links(toPlain, checks, plain),
      after: links(toChecks, checks, plain)),
    Change(
      testDescription: "a mount is for fewer topics", before: links(toChecks, checks),
      after: links("{ mount: checks, accepts: ['order.>'] }", checks),
      warnings: [
        "orders/checks leads fewer messages to the guard \"checks/fraud\" than before (accepts), so the others pass it"
      ], unguarded: ["checks"]),
    Change(
      testDescription: "a mount is for more topics", before: links("{ mount: checks, accepts: ['order.>'] }", checks),
      after: links(toChecks, checks)),
    Change(
      testDescription: "a mount without a guard is for fewer topics", before: links(toPlain, plain),
      after: links("{ mount: plain, accepts: ['order.>'] }", plain)),
    Change(
      testDescription: "a mount moves behind a handler", before: links("\(toChecks), \(cache)", checks),
      after: links("\(cache), \(toChecks)", checks), warnings: [isInFrontOfMount], unguarded: ["checks"]),
    Change(
      testDescription: "a mount without a guard moves behind a handler", before: links("\(toPlain), \(cache)", plain),
      after: links("\(cache), \(toPlain)", plain)),
    Change(
      testDescription: "a new handler stands in front of a mount", before: links(toChecks, checks),
      after: links("\(cache), \(toChecks)", checks), warnings: [isInFrontOfMount], unguarded: ["cache"]),
    Change(
      testDescription: "a new shadow stands in front of a mount", before: links(toChecks, checks),
      after: links("{ handler: cache, shadow: true }, \(toChecks)", checks)),
  ]

  static let byPatterns = [
    Change(
      testDescription: "one pattern covers both of before",
      before: links("{ handler: fraud, on_failure: stop, accepts: ['a.>', 'b.>'] }"),
      after: links("{ handler: fraud, on_failure: stop, accepts: ['*.>'] }")),
    Change(
      testDescription: "one pattern of before is not covered",
      before: links("{ handler: fraud, on_failure: stop, accepts: ['a.>', 'b.>'] }"),
      after: links("{ handler: fraud, on_failure: stop, accepts: ['*.x', 'a.>'] }"),
      warnings: ["orders/fraud guards less than before (accepts), so messages pass that it stopped"],
      unguarded: ["fraud"]),
  ]

  @Test(arguments: byOrder + byMounts + byPatterns)
  func aReloadWarns(of change: Change) throws {
    let (before, after) = try (Self.configuration(change.before), Self.configuration(change.after))
    let told = after.newWarnings(since: before).map(\.message)
    #expect(told.filter { $0.contains("guard") || $0.contains("stopped") } == change.warnings)
    #expect(after.linkChanges(from: before).filter(\.isUnguarded).map(\.link.name) == change.unguarded)
    #expect(before.newWarnings(since: before).isEmpty && after.newWarnings(since: after).isEmpty)
  }

  /// Mounts in a circle are refused, but not by what compares.
  @Test func circlesOfMountsEnd() throws {
    var (one, other) = (DeclaredLink("b"), DeclaredLink("a"))
    (one.isMount, other.isMount) = (true, true)
    var guarding = DeclaredLink("g")
    guarding.onFailure = .stop
    let chains = [ChainDeclaration(chain: "a", links: [one]), ChainDeclaration(chain: "b", links: [other, guarding])]
    var left = 1000
    let compared = ChainComparison.comparisons(
      of: [ChainDeclaration(chain: "a", links: []), chains[1]], with: chains, left: &left)
    #expect(compared[0].changes.map(\.guardBehind) == ["b/g"])
  }

  /// Without steps that are left, what may be a danger is told.
  @Test func aSearchThatEndsEarlyWarns() throws {
    let before = try Self.configuration(Self.links(Self.orderFraud)).chains.map(\.declaration)
    let accepts = "{ handler: cache, accepts: ['chat.>'] }"
    let after = try Self.configuration(Self.links("\(accepts), \(Self.orderFraud)")).chains.map(\.declaration)
    for (steps, count) in [(0, 1), (1000, 0)] {
      var left = steps
      #expect(ChainComparison.comparisons(of: after, with: before, left: &left)[0].passed.count == count)
    }
  }

  @Test(arguments: [
    ("anonymous: { may: [everything] }", true), ("anonymous: { may: [see server] }", false),
    ("ann: { user: ann, may: [everything] }", false),
  ])
  func everybodyMayDoEverything(peers: String, isOpen: Bool) throws {
    let found = try warnings(in: "listen: [unix:a.sock]\npeers:\n  \(peers)\n").map(\.message)
    #expect(found == (isOpen ? ["everybody who can connect may do everything"] : []))
  }
}
