import UV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Gives each new connection an echo.
final class EchoListener: ListenerOwner {
  private let piece: Int

  init(piece: Int) { self.piece = piece }

  func accepted(_ stream: Stream, by listener: Listener) {
    stream.owner = EchoPeer(stream, piece: piece)
    do { try stream.startReading() } catch { stream.close() }
  }

  func turnedAway(by listener: Listener, _ error: UVError) {}

  func failed(_ listener: Listener, _ error: UVError) { fatalError("\(error)") }
}

/// Writes out what was printed, also where nobody looks at a terminal.
func flushOutput() { fflush(nil) }
