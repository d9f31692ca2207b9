internal import BatonCore
private import Synchronization
internal import UV

/// Reads the configuration file, or a text in its place, beside the loop. A disk may give nothing for ever: then the reading is
/// given up.
extension Server {
  /// Milliseconds that a reading may take.
  private static let readingPatience = 5000
  /// So many readings may hang, each with a thread. Who may only have texts checked leaves some to the file.
  private static let mostHanging = (texts: 2, all: 4)

  func read<File: OperatorsFile>(_ file: File, _ text: [UInt8]?, end: @escaping (ReloadNews) -> Void) {
    reloads.hanging.removeAll(where: \.isOver)
    let most = text == nil ? Server.mostHanging.all : Server.mostHanging.texts
    guard reloads.hanging.count < most else {
      return end(.refused("earlier readings still wait for a disk; see that it answers, or start the server anew"))
    }
    let (reading, place) = (FileReading(), ContentPlace<File.Content>())
    let (work, wake) = (file.reading(of: text), reloads.wake?.sender)
    let hasBegun = SideThread.start(stack: .large) {
      SideThread.stepBack()
      place.content = work()
      reading.finish()
      wake?.wake()
    }
    guard hasBegun else { return end(.refused("the system has no thread left to read the file; try it again")) }
    reloads.reading = reading
    reloads.patience?.set(microseconds: now.advanced(milliseconds: Server.readingPatience).microseconds)
    reloads.end = {
      guard reading.isOver, let content = place.content else { return end(.refused(Server.hangs)) }
      end(file.take(content))
    }
  }

  /// Whether a thread still reads, after the end perhaps: what it uses must not be taken away.
  public var hasReadingThread: Bool {
    ([reloads.reading].compactMap(\.self) + reloads.hanging).contains { !$0.isOver }
  }

  private static let hangs =
    "the file, or one that it names, could not be read within \(readingPatience / 1000) s; see that its disk answers"

  /// A thread is done with a reading: perhaps with one that was given up.
  func readingMayBeOver() { if reloads.reading?.isOver == true { endReading() } }

  /// Who waits for the reading is told so, and the next one begins. Its thread may stay for ever.
  func giveUpReading() {
    guard let reading = reloads.reading else { return }
    if !reading.isOver { reloads.hanging.append(reading) }
    endReading()
  }

  private func endReading() {
    let end = reloads.end
    (reloads.reading, reloads.end) = (nil, nil)
    reloads.patience?.unset()
    end?()
    if let again = reloads.again {
      reloads.again = nil
      reload(because: again)
    }
  }
}

/// A reading on a thread of its own, which may wait for a disk for ever.
final class FileReading: Sendable {
  private let state = Atomic(false)

  var isOver: Bool { state.load(ordering: .acquiring) }

  func finish() { state.store(true, ordering: .releasing) }
}

extension ReloadNews {
  /// Refused for a reason that stands at no place of the file.
  static func refused(_ words: String) -> ReloadNews {
    .refused([ConfigurationFault(line: 1, column: 1, message: words)])
  }
}

/// Where a reading puts what it has read. The thread that reads is done with it before the loop looks.
private final class ContentPlace<Content: Sendable>: @unchecked Sendable {
  var content: Content?
}
