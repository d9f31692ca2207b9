import ArgumentParser

/// The record of a server.
struct RecordingOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Go on behind the last good line of a damaged record.",
      discussion: "Without it the server does not start with a record that does not verify."))
  var recordBeginAnew = false
}
