/// How a client leaves without failing anybody.
extension Session {
  /// Removes the links, answers the open offers, waits for the open requests, and closes.
  ///
  /// A link whose place is kept (`hold`, `isRequired`) stays. Without it, messages would pass that it is there to stop.
  /// Offers to it are not begun any more. They wait on the server for whoever takes the place next.
  func drain() async {
    if !links.isLeaving {
      links.isLeaving = true
      await changes.until { !isSettingUp }
      if isOpen { await removeLinks() }
      await changes.until { !isOpen || (offers?.isEmpty ?? true) && requests.isIdle }
      // The last answers still have to be written.
      if isOpen { endConnection() }
      finish(.closed)
    }
    await changes.until { isOver }
  }

  /// A link that is gone already is no fault.
  private func removeLinks() async {
    let all = links.removals().compactMap { try? requests.begin($0) }
    for request in all { _ = try? await requests.reply(to: request) }
  }
}
