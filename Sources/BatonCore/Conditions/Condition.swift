/// What a link asks of a message (contract, `when`), read and checked. It does not change.
///
/// Members with the same way from the message to them share one `Spot`, also if they stand in several objects of `$or`: they
/// look at the same value, and are looked at together.
package struct Condition: Sendable {
  /// The most bytes of a spelling.
  package static var mostBytes: Int { 4096 }

  /// The condition as the server spells it: without white space between tokens, texts with as few escapes as there can be.
  package internal(set) var spelling: [UInt8] = []
  /// The spots, each before those below it. The first one is the message.
  var spots: [Spot] = []
  /// The numbers of spots: those directly below a spot stand together, ordered by `Spot.folded`.
  var children: [UInt16] = []
  /// What is demanded of values, in the order in which it is written.
  var demands: [Demand] = []
  /// The numbers of demands: those at one spot stand together.
  var demandsAtSpots: [UInt16] = []
  var alternatives: [Alternative] = []
  /// What the message as a whole must be.
  var whole = Formula.all([])
  /// Names, texts and numbers.
  var texts: [UInt8] = []

  /// Whether it asks who has sent a message.
  package var asksIdentity: Bool { asks(.identity) }

  /// Whether it asks something of this part of a message.
  package func asks(_ part: MessagePart) -> Bool { spots.dropFirst().contains { $0.part == part } }

  /// Whether it asks nothing.
  package var isEmpty: Bool { demands.isEmpty }

  /// A part of `texts`.
  struct Part: Sendable {
    var start: UInt16
    var count: UInt16
    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  /// A part of the message in which members are looked for.
  package enum MessagePart: UInt8, CaseIterable, Sendable { case payload, meta, topic, key, identity }

  /// A place in messages that is looked at.
  struct Spot: Sendable {
    var part: MessagePart
    var parent: UInt16
    /// The number of the first spot that is not below this one.
    var end: UInt16 = 0
    var name: Part
    /// The name in small letters.
    var folded: Part
    var children: Range<UInt16> = 0..<0
    var demands: Range<UInt16> = 0..<0
    /// The bytes with which the names of the children begin.
    var firstBytes = FirstBytes()
  }

  /// A member of the condition.
  struct Demand: Sendable {
    var spot: UInt16
    /// The demand in whose object this one stands; nil directly below the message.
    var parent: UInt16?
    var kind: Kind

    enum Kind: Sendable {
      /// An object of the condition.
      case object(Formula)
      /// A list of alternatives, and whether one of them looks at the value, not only at whether it is there.
      case alternatives(Range<Int>, looks: Bool)
    }
  }

  /// How answers become one.
  indirect enum Formula: Sendable {
    /// The demand of this number.
    case member(UInt16)
    /// An object: the worst counts.
    case all([Formula])
    /// `$or`: the best counts.
    case any([Formula])
  }

  /// What a list may hold.
  enum Alternative: Sendable {
    case text(Part), prefix(Part), suffix(Part), ignoringCase(Part)
    case number(Bound)
    case numeric(Bound, Bound?)
    case truth(Bool)
    case null
    case exists(Bool)
    /// The opposite of what fits one of them: texts, numbers, or a prefix.
    case anythingBut([Alternative])
  }

  /// A comparison with a number.
  struct Bound: Sendable {
    enum Relation: String, CaseIterable { case equal = "=", less = "<", atMost = "<=", more = ">", atLeast = ">=" }
    var relation: Relation
    var number: SeenNumber
    var written: Part
  }
}

/// Why a condition is refused, and where in it.
package struct ConditionFault: Error, Equatable, Sendable {
  /// The way to what is wrong, such as `payload.amount[0]`; empty for the whole.
  package var place: String
  /// What is wrong, and how to mend it.
  package var text: String

  /// Both, as an error says it.
  package var words: String { place.isEmpty ? text : "\(place): \(text)" }
}
