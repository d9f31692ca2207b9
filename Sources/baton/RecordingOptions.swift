import ArgumentParser

/// The record of a server.
struct RecordingOptions: ParsableArguments {
  @Flag(
    help: "Go on behind the last good line of a damaged record, with which the server does not start otherwise.")
  var recordBeginAnew = false
}
