/// The files for encryption. Paths of the configuration file are relative to that file.
public struct TLSFiles: Equatable, Sendable {
  /// The server's certificate, with those between it and its authority.
  public var certificate: Sourced<String>?
  /// The certificate's private key.
  public var key: Sourced<String>?
  /// The authorities whose client certificates count.
  public var clients: Sourced<String>?
  /// Whether a connection without a client certificate is refused.
  public var requireClients: Sourced<Bool>?

  /// No files.
  public init() {}

  /// The values, without where they come from.
  var values: [String?] { [certificate?.value, key?.value, clients?.value, requireClients.map { "\($0.value)" }] }

  /// What is said here, and what `others` says where nothing is said here.
  func completed(by others: TLSFiles) -> TLSFiles {
    var files = self
    files.certificate = certificate ?? others.certificate
    files.key = key ?? others.key
    files.clients = clients ?? others.clients
    files.requireClients = requireClients ?? others.requireClients
    return files
  }
}
