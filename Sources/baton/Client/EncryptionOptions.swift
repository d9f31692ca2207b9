import ArgumentParser
import BatonClient

/// What a subcommand needs for a server at `tls:HOST:PORT`.
struct EncryptionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The authorities that count for the server's certificate (PEM). (default: BATON_TLS_CA, or the system's)",
      valueName: "file"))
  var tlsCa: String?

  @Option(
    help: ArgumentHelp(
      "A certificate that says who you are, with those between it and its authority (PEM).",
      valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("The certificate's private key (PEM, without a passphrase).", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "A public key that the server must have: the base64 of the SHA-256 of its SubjectPublicKeyInfo; twice at most.",
      valueName: "pin"))
  var tlsPin: [String] = []

  /// A program with these files and pins.
  func adding(to baton: Baton) -> Baton {
    var baton = baton
    if let tlsCa { baton = baton.ca(tlsCa) }
    if let tlsCertificate { baton = baton.certificate(tlsCertificate) }
    if let tlsKey { baton = baton.key(tlsKey) }
    return tlsPin.isEmpty ? baton : baton.pins(tlsPin)
  }
}
