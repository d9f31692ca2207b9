import ArgumentParser
import BatonClient

/// The payload of a message: an argument, or what is piped in.
struct PayloadOptions: ParsableArguments {
  @Argument(
    help: """
      JSON is sent as it is, any other text as a JSON string. @FILE is the content of a file, - is standard input. \
      Without it, what is piped in is the payload.
      """, completion: .file())
  var payload: String?

  @Flag(help: "Send the payload as text, also if it looks like JSON.")
  var text = false

  @Flag(
    name: [.customShort("n"), .customLong("no-input")],
    help: "Read nothing from standard input: without a payload there is none.")
  var readsNothing = false

  func validate() throws {
    if readsNothing, payload == "-" { throw ValidationError("with -n nothing is read; leave out -, or leave out -n") }
  }

  /// What a text is taken for.
  func kind(_ name: PayloadArgument.Name) -> PayloadArgument.Kind { text ? .text : .either(name) }

  /// The payload; nil if there is none. An empty pipe is none: programs are often started with one.
  func value(isInputTaken: Bool) async throws -> Payload? {
    if payload != nil || readsNothing || isInputTaken {
      return try await PayloadArgument.value(payload, as: kind(.payload))
    }
    guard StandardInput.isPiped else { return nil }
    let bytes = try await read()
    return try bytes.isEmpty ? nil : PayloadArgument.value(of: bytes, from: "standard input", as: kind(.payload))
  }

  /// Reads what is piped in. After a second a person is told what the program waits for.
  private func read() async throws -> [UInt8] {
    let hint = Task {
      try await Task.sleep(for: .seconds(1))
      talk("baton: waiting for the payload on standard input; -n reads nothing from there")
    }
    defer { hint.cancel() }
    return try await StandardInput.all()
  }
}
