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

  /// A program with these files and pins; with those of the context where nothing is said of them.
  func adding(to baton: Baton, _ context: Context?) -> Baton {
    var baton = baton
    if let ca = authorities(context) { baton = baton.ca(ca) }
    // A certificate goes with its key.
    let isSaid = tlsCertificate != nil || tlsKey != nil
    if let file = isSaid ? tlsCertificate : context?.certificate { baton = baton.certificate(file) }
    if let file = isSaid ? tlsKey : context?.key { baton = baton.key(file) }
    let pins = tlsPin.isEmpty ? context?.pins ?? [] : tlsPin
    return pins.isEmpty ? baton : baton.pins(pins)
  }

  /// The file of the authorities; nil where BATON_TLS_CA or the system says them.
  func authorities(_ context: Context?) -> String? {
    tlsCa ?? (Environment["BATON_TLS_CA"] == nil ? context?.ca : nil)
  }
}
