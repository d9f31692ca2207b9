/// The observer of what stays hears everything at once.
extension Network {
  func hearWhatStays() {
    guard ledger.stays != nil, !isHearing else { return }
    isHearing = true
    while let observer = ledger.stays?.observer, wires[observer].hasToRead, ledger.violation == nil {
      _ = take(.max, places: 64, of: observer)
    }
    isHearing = false
    let bytes = driver.router.bytesThatStay
    ledger.judgeStays { watch in
      watch.checkBytes(history: bytes.history, retained: bytes.retained)
      watch.judge()
    }
  }
}
