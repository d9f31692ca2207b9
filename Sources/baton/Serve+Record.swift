import ArgumentParser
import BatonConfig
import BatonCore
import BatonLasting
import BatonRecord
import BatonServer

/// The record of a server: it is looked at when the server has its places, and goes on before anybody is heard.
extension Serve {
  /// Takes the record that the configuration names; nil if it names none. What is wrong with it is printed, and ends the
  /// program.
  static func record(of configuration: Configuration, beginsAnew: Bool) throws -> RecordStart? {
    guard let entry = configuration.record else { return nil }
    do throws(RecordError) {
      return try RecordStart(RecordFolder(entry.directory.value), isAnew: beginsAnew)
    } catch {
      talk("\(entry.directory.origin): \(error.description)")
      throw error.mayPass ? ExitCode.failure : ExitCode.validationFailure
    }
  }

  /// Goes on with the record: the line of the start is written before the server runs.
  static func open(
    _ record: RecordStart, of configuration: Configuration, startedAs name: String, with server: Server
  ) throws -> RecordThread? {
    guard let entry = configuration.record else { return nil }
    let key = try ConfigOptions.telling { () throws(ConfigMistakes) in try entry.key() }
    var thread: RecordThread?
    do {
      try server.openRecord { wake in
        let made = try RecordThread(
          record, named: name, version: Settings.version, entry.options, key, wall: { RecordClock.wall },
          salt: { (0..<2).flatMap { _ in withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Array($0) } } },
          wake: wake)
        thread = made
        return made
      }
    } catch {
      guard let error = error as? RecordError else { throw error }
      talk("\(entry.directory.origin): \(error.description)")
      throw ExitCode.failure
    }
    return thread
  }
}

extension RecordThread: MessageRecord {}
