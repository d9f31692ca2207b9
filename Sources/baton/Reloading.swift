import BatonConfig
import BatonCore
import BatonServer
import TLS

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Carries the server's file out anew: all of it, or nothing. What can go wrong comes first; nobody notices anything of it
/// if it does.
struct Reloading {
  private let sources: ConfigurationSources
  private let start: Configuration
  private let room: ServerRoom
  /// What is in force.
  private var known: Configuration

  init(_ sources: ConfigurationSources, startedWith start: Configuration, in room: ServerRoom) {
    self.sources = sources
    self.start = start
    self.room = room
    known = start
  }

  /// Reads the file, and carries out what of it the server outside of the router has to do. The rest is the router's.
  mutating func readAnew(for server: Server) -> ReloadNews {
    do throws(ConfigMistakes) {
      try checkFile()
      let new = try sources.read()
      try checkAccess(of: new)
      let encryption = try encryption(of: new)
      try checkChains(of: new, with: server)
      var file = ReloadedFile()
      file.access = new.rules
      file.chains = new.chains.map(\.declaration)
      (file.changed, file.restart) = new.changes(from: known, startedWith: start)
      try listen(as: new, with: server)
      file.settings = room.settings(for: new)
      server.encrypt(with: encryption)
      tellWarnings(of: new, server)
      known = new
      return .read(file)
    } catch {
      return .refused(error.faults)
    }
  }

  /// Says what a reload of a file with these bytes would change, and changes nothing. Whether the server could listen at
  /// other places is not tried.
  func check(_ bytes: [UInt8], for server: Server) -> ReloadNews {
    do throws(ConfigMistakes) {
      let new = try sources.read(bytes)
      try checkAccess(of: new)
      try new.checkFilesOfEncryption()
      _ = try encryption(of: new)
      try checkChains(of: new, with: server)
      if server.listensToOthers, new.listen.map(\.value) == known.listen.map(\.value), !new.mayBeReachedFromOutside {
        throw ConfigMistakes(new.listen.first?.origin ?? .byDefault, Reloading.threeWays)
      }
      var file = ReloadedFile()
      (file.changed, file.restart) = new.changes(from: known, startedWith: start)
      return .read(file)
    } catch {
      return .refused(error.faults)
    }
  }

  /// What is no file may be used up, or let the server wait: it is read at the start only.
  private func checkFile() throws(ConfigMistakes) {
    guard let path = sources.path, let facts = facts(ofFile: path), !facts.isRegular else { return }
    throw ConfigMistakes(.whole(path), "this is no regular file, and a reload reads nothing else")
  }

  /// A file that is empty, or was cut off, must not open the server to everybody.
  private func checkAccess(of new: Configuration) throws(ConfigMistakes) {
    guard known.rules != nil, new.rules == nil else { return }
    throw ConfigMistakes(
      sources.path.map { .whole($0) } ?? .byDefault,
      "there are no peers any more, so that everybody could do everything; write peers, or start the server anew")
  }

  /// What the router would refuse.
  private func checkChains(of new: Configuration, with server: Server) throws(ConfigMistakes) {
    let conflicts = server.conflicts(with: new.chains.map(\.declaration))
    guard !conflicts.isEmpty else { return }
    let mistakes = conflicts.prefix(100).map { conflict in
      let chain = new.chains.first { $0.name == conflict.chain }
      let link = chain?.links.first { $0.link.isMount && $0.link.name == conflict.mount }
      return ConfigMistake(link?.nameOrigin ?? chain?.origin ?? .byDefault, conflict.message)
    }
    throw ConfigMistakes(all: mistakes, untold: conflicts.count - mistakes.count)
  }

  private func encryption(of new: Configuration) throws(ConfigMistakes) -> TLSContext? {
    do throws(TLSError) {
      return try new.encryption()
    } catch {
      throw ConfigMistakes(new.tls.certificate?.origin ?? .byDefault, error.description)
    }
  }

  /// Listens where the file says, and nowhere else.
  private func listen(as new: Configuration, with server: Server) throws(ConfigMistakes) {
    guard new.listen.map(\.value) != known.listen.map(\.value) else {
      // A name may stand for other addresses than it seems.
      if server.listensToOthers, !new.mayBeReachedFromOutside {
        throw ConfigMistakes(new.listen.first?.origin ?? .byDefault, Reloading.threeWays)
      }
      return
    }
    do throws(ListeningFault) {
      let change = try server.prepare(listeningAt: new.listen.map { ListeningEntry($0) })
      if let entry = change.firstForOthers, !new.mayBeReachedFromOutside {
        change.takeBack()
        throw ListeningFault(entry: entry, message: "\(change.endpoint(entry)): \(Reloading.threeWays)")
      }
      try server.carryOut(change)
    } catch {
      throw ConfigMistakes(new.listen[error.entry].origin, error.message)
    }
  }

  /// In one line.
  private static var threeWays: String { Configuration.threeWays.split(separator: "\n").joined(separator: " ") }

  /// Warnings that are told for the first time.
  private func tellWarnings(of new: Configuration, _ server: Server) {
    let old = Set(known.warnings.map(\.message))
    server.warn(new.warnings.filter { !old.contains($0.message) }.map { ($0.message, "\($0.origin)") })
  }
}

extension Configuration {
  /// Whoever asks for a check names files that the server would wait for: only small ones that are files are opened.
  fileprivate func checkFilesOfEncryption() throws(ConfigMistakes) {
    for path in [tls.certificate, tls.key, tls.clients].compactMap(\.self) {
      guard let facts = facts(ofFile: path.value) else { continue }
      if !facts.isRegular || facts.st_size > 1 << 20 {
        throw ConfigMistakes(path.origin, "\(path.value) is not a file of at most 1 MiB, in PEM")
      }
    }
  }
}

/// What is there under this path; nil if nothing is, which is told by who opens it.
private func facts(ofFile path: String) -> stat? {
  var facts = stat()
  return stat(path, &facts) == 0 ? facts : nil
}

extension stat {
  /// Whether it is a file with bytes of its own: no folder, pipe or device.
  fileprivate var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
}

extension ConfigMistakes {
  /// One mistake.
  fileprivate init(_ origin: Origin, _ message: String) {
    self.init(all: [ConfigMistake(origin, message)], untold: 0)
  }

  /// For the router: one without a place stands at the beginning of the file.
  fileprivate var faults: [ConfigurationFault] {
    all.map { ConfigurationFault(line: $0.place?.line ?? 1, column: $0.place?.column ?? 1, message: $0.message) }
  }
}
