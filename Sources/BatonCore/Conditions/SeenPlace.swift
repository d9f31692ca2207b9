/// What stands in a message at a spot of a condition. It takes twelve bytes.
package struct SeenPlace: Equatable {
  /// Where the value begins and ends in its part of the message.
  var start: UInt32
  var end: UInt32
  /// `.absent` if nothing stands there.
  var kind: ValueKind
  /// Whether its name stands there twice, or a name that some program takes for it. Then nothing is known of it.
  var isDoubtful = false

  static var nothing: SeenPlace { SeenPlace(.absent) }

  init(_ value: MemberValue) { (start, end, kind) = (value.start, value.end, value.kind) }

  var value: MemberValue { MemberValue(start: start, end: end, kind: kind) }
}
