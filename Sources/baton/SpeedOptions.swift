import ArgumentParser

/// What the server gives for speed.
struct SpeedOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Stays awake for that many microseconds after something came. With few messages in flight most of a message's time \
      goes into waking programs up; 50 saves the server's part of it. In return a core is busy, polling, for as long as \
      messages keep coming, and where the server shares its core with handlers it takes time from them.
      """, valueName: "microseconds"))
  var spinUs = 0

  func validate() throws {
    guard (0...1_000_000).contains(spinUs) else {
      throw ValidationError("--spin-us is a number of microseconds from 0, which is not to spin, to 1000000")
    }
  }
}
