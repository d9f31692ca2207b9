/// What can be due: the subject of a timer.
enum Due {
  /// The walk's time at a link, or as a whole.
  case walk(Ref<Walk>)
  /// Something that a connection waits for.
  case connection(Ref<Connection>)
  /// A shadow's time to answer.
  case copy(Ref<ShadowCopy>)
  /// The time for which a place is held.
  case hold(Ref<Link>)
  /// The time for draining.
  case drain
}
