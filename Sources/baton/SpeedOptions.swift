import ArgumentParser

/// Options that buy speed with processor time.
struct SpeedOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      How many microseconds the server stays awake after bytes came. With few messages in flight, most of a message's \
      time goes into waking programs up; 50 saves the server's part of it. In return the server keeps a core busy \
      while messages keep coming. Handlers on the same core then get less time.
      """, valueName: "microseconds"))
  var spinUs = 0

  func validate() throws {
    guard (0...1_000_000).contains(spinUs) else {
      throw ValidationError("--spin-us must be from 0 to 1000000 microseconds; 0 turns it off")
    }
  }
}
