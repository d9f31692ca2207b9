/// What is wrong with the record (contract, section 8, `findings`).
extension Router {
  mutating func findInRecord(_ survey: Survey) {
    guard recorder.isOn else { return }
    if let failure = recorder.failure {
      survey.findings.add(
        .record,
        Finding(
          since: recorder.failsSince,
          why: "the record cannot be written: \(Router.escaped(failure))"
            + (recorder.isStrict
              ? "; messages that must be recorded are refused (record_failed), and ends wait"
              : "; ends of messages are missing in it"),
          next: "make room on its disk, or put its folder back; the server tries again each second"))
    }
    if recorder.missedInTotal > 0 {
      survey.findings.add(
        .recordLoss, weight: recorder.missedInTotal,
        Finding(
          why: "\(recorder.missedInTotal) ends of messages are not in the record, because too many lines waited",
          next: "see how fast its disk is, or raise record_queue_bytes; with strict: true none is missing"))
    }
    guard recorder.sight.isNearlyFull else { return }
    survey.findings.add(
      .recordLoss,
      Finding(
        why: "the record has three quarters of what may be kept (keep_bytes); the oldest files go after that",
        next: "copy them elsewhere, raise keep_bytes, or say with keep_days for how long they are kept"))
  }

  /// A text of the system, as a part of a string of JSON.
  private static func escaped(_ text: String) -> String {
    let bytes = OwnedBytes(text)
    defer { extendLifetime(bytes) }
    return String(OwnedBytes(quoting: bytes.bytes).string.dropFirst().dropLast())
  }
}
