import BatonConfig
import BatonCore
import BatonRecord
import BatonServer
import TLS

/// Carries the configuration file out anew: all of it, or nothing. What can go wrong comes first; nobody notices anything of it
/// if it does.
final class Reloading: OperatorsFile {
  private let sources: ConfigurationSources
  private let start: Configuration
  private let room: ServerRoom
  private unowned let server: Server
  /// What ends of messages are written to; nil without a record.
  var recording: RecordThread?
  /// What is in force, and the files of its encryption.
  private var known: Configuration
  private var knownFiles: TLSFiles.Contents
  /// How the record is written.
  private var lastRecord: (options: RecordOptions, key: RecordKey?, rule: RecordRule)

  init(_ sources: ConfigurationSources, startedWith start: Configuration, in room: ServerRoom, of server: Server) {
    self.sources = sources
    self.start = start
    self.room = room
    self.server = server
    known = start
    knownFiles = start.tls.contents()
    lastRecord = (
      start.record?.options ?? RecordOptions(), try? start.record?.key(), start.record?.rule ?? RecordRule()
    )
  }

  /// What was read.
  struct Content: Sendable {
    let isText: Bool
    let outcome: Result<Read, ConfigMistakes>
  }

  /// What is right in itself. Whether it fits to what is there is seen when it is taken.
  struct Read: Sendable {
    let configuration: Configuration
    let encryption: TLSContext?
    let files: TLSFiles.Contents
    /// What of it the router carries out.
    var file = ReloadedFile()
    /// The key that signs heads of the record.
    var recordKey: RecordKey?
    /// Warnings that are told for the first time.
    var warnings: [ConfigMistake] = []
  }

  func reading(of text: [UInt8]?) -> @Sendable () -> Content {
    let (sources, start, known, knownFiles) = (sources, start, known, knownFiles)
    return {
      do throws(ConfigMistakes) {
        let new = if let text { try sources.read(text) } else { try sources.readRegularFiles() }
        try new.tls.checkFiles()
        let encryption = try new.encryptionOrMistake()
        let recordKey = try new.record?.key()
        var read = Read(configuration: new, encryption: encryption, files: new.tls.contents())
        read.recordKey = recordKey
        read.file.access = new.rules(with: encryption)
        read.file.chains = new.chains.map(\.declaration)
        read.file.topics = new.topics.map(\.value)
        (read.file.changed, read.file.restart) = new.changes(
          from: known, startedWith: start, areFilesOthers: read.files != knownFiles)
        read.file.links = new.linkChanges(from: known)
        read.warnings = new.newWarnings(since: known)
        read.file.warnings = ConfigMistakes.faults(read.warnings)
        return Content(isText: text != nil, outcome: .success(read))
      } catch {
        return Content(isText: text != nil, outcome: .failure(error))
      }
    }
  }

  func take(_ content: Content) -> ReloadNews {
    do throws(ConfigMistakes) {
      let read = try content.outcome.get()
      return .read(content.isText ? try compare(read) : try carryOut(read))
    } catch {
      return .refused(error.faults)
    }
  }

  /// Carries out what the server outside of the router has to do. The rest is the router's.
  private func carryOut(_ read: Read) throws(ConfigMistakes) -> ReloadedFile {
    let new = read.configuration
    try listen(as: new)
    server.encrypt(with: read.encryption)
    server.warnOfCertificate()
    server.httpRules = new.httpRules
    server.proxyRules = new.proxyRules
    server.warn(read.warnings.map { ($0.message, "\($0.origin)") })
    (known, knownFiles) = (new, read.files)
    server.tellNode(of: new)
    var file = read.file
    var settings = room.settings(for: new)
    settings.record = goOnRecording(read)
    file.settings = settings
    return file
  }

  /// The record goes on as the file says: in the folder in which it was begun, and also where the file names none any more.
  /// Returns what the router does.
  private func goOnRecording(_ read: Read) -> RecordRule? {
    guard let recording else { return nil }
    if let new = read.configuration.record {
      lastRecord = (new.options, read.recordKey, new.rule)
    } else {
      // The file is another one all the same.
      lastRecord.options.file = read.configuration.digest
    }
    recording.take(lastRecord.options, lastRecord.key)
    return lastRecord.rule
  }

  /// Says what a reload of a text would change. Whether the server could listen at other places is not tried.
  private func compare(_ read: Read) throws(ConfigMistakes) -> ReloadedFile {
    let new = read.configuration
    if server.listensToOthers, new.places.map(\.value) == known.places.map(\.value), !new.mayBeReachedFromOutside {
      throw ConfigMistakes(new.places.first?.origin ?? .byDefault, Reloading.threeWays)
    }
    return read.file
  }

  /// Listens where the file says, and nowhere else.
  private func listen(as new: Configuration) throws(ConfigMistakes) {
    // What could not be had may be free by now.
    guard new.places.map(\.value) != known.places.map(\.value) || server.lacksPlace else {
      // A name may stand for other addresses than it seems.
      if server.listensToOthers, !new.mayBeReachedFromOutside {
        throw ConfigMistakes(new.places.first?.origin ?? .byDefault, Reloading.threeWays)
      }
      return
    }
    do throws(ListeningFault) {
      let change = try server.prepare(listeningAt: new.places.map { ListeningEntry($0) })
      if let entry = change.firstForOthers, !new.mayBeReachedFromOutside {
        change.takeBack()
        throw ListeningFault(entry: entry, message: "\(change.endpoint(entry)): \(Reloading.threeWays)")
      }
      try server.carryOut(change)
    } catch {
      throw ConfigMistakes(new.places[error.entry].origin, error.message)
    }
  }

  /// In one line.
  private static var threeWays: String { Configuration.threeWays.split(separator: "\n").joined(separator: " ") }
}

extension ConfigMistakes {
  /// For the router: one without a place stands at the beginning of the file.
  fileprivate var faults: [ConfigurationFault] { ConfigMistakes.faults(all) }

  fileprivate static func faults(_ mistakes: [ConfigMistake]) -> [ConfigurationFault] {
    mistakes.map { ConfigurationFault(line: $0.place?.line ?? 1, column: $0.place?.column ?? 1, message: $0.message) }
  }
}
