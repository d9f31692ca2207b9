import ArgumentParser
import Curl
import TLS

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A web service that handles the messages.
struct PostOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Post each offer to this URL, http: or https:; the status is the verdict. --timeout holds for notices, too; they have 30s without it.",
      valueName: "url"))
  var post: String?

  @Option(
    help: ArgumentHelp(
      "Sign what is posted, as Standard Webhooks says, with the secrets in this file: in each line whsec_ and base64, the newest first.",
      valueName: "file"), completion: .file())
  var secretFile: String?

  @Option(
    help: ArgumentHelp(
      "The authorities that count for the certificate of the web service (PEM). (default: the system's)",
      valueName: "file"), completion: .file())
  var caFile: String?

  @Option(
    help: ArgumentHelp(
      "Reach the web service through this proxy. (default: none, also if variables such as https_proxy name one)",
      valueName: "url"))
  var proxy: String?

  /// Whether no option was given.
  var isEmpty: Bool { post == nil && secretFile == nil && caFile == nil && proxy == nil }

  /// The host of the web service.
  func host(of url: String) throws -> String { try checked(url, "--post: the URL ") { try WebService.host(of: url) } }

  func validate() throws {
    guard let post else {
      if !isEmpty { throw ValidationError("--secret-file, --ca-file and --proxy need --post") }
      return
    }
    _ = try host(of: post)
    if let proxy { _ = try checked(proxy, "--proxy: the URL ") { try WebService.host(of: proxy) } }
    if let caFile, let complaint = Self.complaint(aboutAuthorities: caFile, for: post) {
      throw ValidationError("--ca-file: \(complaint)")
    }
  }

  /// What signs; nil without secrets. The file is read once: it may be a pipe.
  func secrets() throws -> PostSecrets? {
    do {
      return try secretFile.map { try PostSecrets(contents(ofFile: $0), of: $0) }
    } catch let fault as PostSecrets.Fault {
      throw ValidationError("--secret-file: \(fault.words)")
    }
  }

  /// Why authorities cannot count; nil if they can.
  static func complaint(aboutAuthorities file: String, for url: String) -> String? {
    guard url.lowercased().hasPrefix("https:") else {
      return "\(url) is not encrypted, and authorities are for a URL that is: write https:, or leave --ca-file out"
    }
    // It is read for each connection.
    var facts = stat()
    guard stat(file, &facts) == 0 else { return "\(file) cannot be read: \(String(cString: strerror(errno)))" }
    guard facts.st_mode & S_IFMT == S_IFREG else { return "\(file) is no regular file, and is read more than once" }
    var files = TLSContext.Files()
    files.authorities = file
    do throws(TLSError) { _ = try TLSContext(.client, files) } catch {
      return "\(error); it has to have a certificate in PEM, which begins with -----BEGIN CERTIFICATE-----"
    }
    return nil
  }

  private func checked<Result>(_ url: String, _ words: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let complaint as WebService.Complaint {
      let isMissing = complaint.description.hasPrefix("needs ")
      throw ValidationError(isMissing ? "--post \(complaint)" : words + complaint.description)
    }
  }
}
