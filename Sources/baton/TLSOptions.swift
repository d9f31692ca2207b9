import ArgumentParser
import BatonConfig
import BatonCore
import BatonServer
import TLS

/// The files for encryption of the server. Each wins over that of the configuration file.
struct TLSOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The server's certificate, with those between it and its authority (PEM).", valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("The certificate's private key (PEM, without a passphrase).", valueName: "file"))
  var tlsKey: String?

  @Option(help: ArgumentHelp("The authorities whose client certificates count (PEM).", valueName: "file"))
  var tlsClients: String?

  @Flag(help: "Refuse a connection without a client certificate.")
  var tlsRequireClients = false

  /// What the options say, each with its name.
  var files: TLSFiles {
    var files = TLSFiles()
    files.certificate = tlsCertificate.map { Sourced($0, from: .flag("--tls-certificate")) }
    files.key = tlsKey.map { Sourced($0, from: .flag("--tls-key")) }
    files.clients = tlsClients.map { Sourced($0, from: .flag("--tls-clients")) }
    if tlsRequireClients { files.requireClients = Sourced(true, from: .flag("--tls-require-clients")) }
    return files
  }
}

extension Configuration {
  /// What encrypted connections use; nil if nothing is encrypted. Throws if the files are not right.
  func encryption() throws(TLSError) -> TLSContext? {
    guard places.contains(where: \.value.isEncrypted) else { return nil }
    var files = TLSContext.Files()
    files.certificate = tls.certificate?.value
    files.key = tls.key?.value
    files.authorities = tls.clients?.value
    files.requiresCertificate = tls.requireClients?.value ?? false
    return try TLSContext(.server, files)
  }

  /// The same. What TLS does not take is a mistake where that file is named.
  func encryptionOrMistake() throws(ConfigMistakes) -> TLSContext? {
    do throws(TLSError) {
      return try encryption()
    } catch {
      let wrong = [tls.key, tls.clients].compactMap(\.self).first { $0.value == error.file } ?? tls.certificate
      throw ConfigMistakes(wrong?.origin ?? .byDefault, error.description)
    }
  }

  /// The rules for the core, with the authorities of what is encrypted. If nothing is any more, those that the file names
  /// count for connections that stay.
  func rules(with encryption: TLSContext?) -> AccessRules? {
    let authorities = encryption?.authorities ?? tls.clients.map { TLSContext.authorities(in: $0.value) } ?? []
    var rules = rules
    rules?.authorities = Set(authorities.compactMap { TokenDigest($0) })
    return rules
  }
}
