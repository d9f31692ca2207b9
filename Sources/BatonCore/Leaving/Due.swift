/// The subject of a timer: the thing that is due when it fires.
enum Due {
  /// The time of a walk at a link, or its deadline.
  case walk(Ref<Walk>)
  /// One of the clocks of a connection.
  case connection(Ref<Connection>)
  /// The time in which a shadow may answer.
  case copy(Ref<ShadowCopy>)
  /// The time for which a place is held.
  case hold(Ref<Link>)
  /// The time at which an account that has sent fast has no debt any more.
  case debt(Ref<PeerAccount>)
  /// The time for draining.
  case drain
}
