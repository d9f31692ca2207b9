import BatonClient
import NIOCore
import NIOPosix
import UV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct DoorOpen: BatonMessage {
  static let topic = "door.open"
  var who: String
}

try await Baton()
  .named("porter")
  .reporting { line in
    let line = Array((line + "\n").utf8)
    _ = write(1, line, line.count)
  }
  .handler("porter", DoorOpen.self) { door, _ in
    // An event loop of SwiftNIO, beside that of Baton.
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let words = try await loop.submit { ByteBuffer(string: greeting(door.who)) }.get()
    return try .handled(String(buffer: words))
  }
  .run()
