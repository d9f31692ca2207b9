import BatonCore
import BatonModel

/// The core behind its door, driven as the model is: whole lines, whole milliseconds, everything that it says is taken
/// at once.
final class Door {
  private var router: Router
  private var ids: [ConnectionID] = []
  /// The connection at each of the router's places.
  private var tenants: [Int] = []
  private var endings: [Model.Ending?] = []
  private let buffers: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>

  init(settings: BatonCore.Settings) {
    router = Router(settings: settings)
    buffers = .allocate(capacity: 64)
  }

  deinit { buffers.deallocate() }

  private static func instant(_ milliseconds: Int) -> Instant { Instant(microseconds: Int64(milliseconds) * 1000) }

  func open(at time: Int) {
    let id = router.opened(at: Self.instant(time))
    while tenants.count <= Int(id.index) { tenants.append(-1) }
    tenants[Int(id.index)] = ids.count
    ids.append(id)
    endings.append(nil)
  }

  func take(_ lines: [String], from connection: Int, at time: Int) {
    var text = lines.joined(separator: "\n") + "\n"
    text.withUTF8 {
      router.received(UnsafeRawBufferPointer($0), from: ids[connection], at: Self.instant(time))
    }
  }

  func halfClose(_ connection: Int, at time: Int) { router.ended(ids[connection], at: Self.instant(time)) }

  func close(_ connection: Int, at time: Int) { router.closed(ids[connection], at: Self.instant(time)) }

  func drain(at time: Int) { router.drain(at: Self.instant(time)) }

  /// Whether the core wants to read from the connection.
  func isReading(_ connection: Int) -> Bool { router.wish(for: ids[connection]).reading }

  func pass(to time: Int) { router.wake(at: Self.instant(time)) }

  /// When the core wants to be woken next.
  var wakeAt: Int? { router.wakeAt.map { Int($0.microseconds / 1000) } }

  /// What the core has said since the last call, and how it wants connections to end, by connection.
  func takeSaid(at time: Int) -> [(connection: Int, lines: [String])] {
    var said: [(connection: Int, lines: [String])] = []
    while let id = router.nextChanged() {
      let connection = tenants[Int(id.index)]
      var bytes: [UInt8] = []
      while router.unsentCount(of: id) > 0 {
        let used = router.unsent(of: id, into: buffers)
        for buffer in buffers[..<used] { bytes.append(contentsOf: buffer) }
        router.wrote(buffers[..<used].reduce(0) { $0 + $1.count }, to: id, at: Self.instant(time))
      }
      var lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
      if let ending = newEnding(of: connection, id) { lines.append(ending.rawValue) }
      if !lines.isEmpty { said.append((connection, lines)) }
    }
    return said
  }

  private func newEnding(of connection: Int, _ id: ConnectionID) -> Model.Ending? {
    let ending: Model.Ending? =
      switch router.wish(for: id).ending {
      case .open: nil
      case .shutDown: .shutDown
      case .closeWhenWritten, .close: .close
      }
    guard ending != endings[connection] else { return nil }
    endings[connection] = ending
    return ending
  }
}
