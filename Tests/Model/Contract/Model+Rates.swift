/// How many messages a second an identity may send (contract, section 11, "Limits of an identity").
extension Model {
  /// One message of the identity is paid with 1/`per_second` of a second; `burst` of them may be unpaid.
  mutating func checkRate(of connection: Int) throws(Refusal) {
    guard let perSecond = limit("per_second", of: connection), keeps(.identitiesHaveRates),
      let payer = account(of: connection)
    else { return }
    let price = 1_000_000_000 / perSecond
    let time = now * 1_000_000
    let unpaid = max(0, (paidAt[payer] ?? 0) - time)
    let most = price * ((limit("burst", of: connection) ?? perSecond) - 1)
    if unpaid > most {
      seen.insert(.tooFast)
      if !peers[connection].hasPaid { seen.insert(.stillTooFast) }
      throw Refusal("busy", retryMilliseconds: (unpaid - most + 999_999) / 1_000_000)
    }
    paidAt[payer] = time + unpaid + price
    peers[connection].hasPaid = true
  }

  /// An identity that the file does not name any more has no debt.
  mutating func forgetDebts() {
    paidAt = paidAt.filter { payer, _ in
      (entries ?? []).contains { $0.name == payer.prefix { $0 != " " } }
    }
  }

  /// Nobody of the account is there any more.
  mutating func forgetDebt(of payer: String?) {
    guard let payer, !peers.indices.contains(where: { account(of: $0) == payer }) else { return }
    paidAt[payer] = nil
  }
}
