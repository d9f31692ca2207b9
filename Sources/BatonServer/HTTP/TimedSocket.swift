internal import BatonCore

/// A socket of the doors that has a clock, and its place in lists of the door. One thread uses it, so exclusive access
/// is not checked where each message would pay for it.
class TimedSocket {
  /// When `clockRings` has to be called; `never` if it has not.
  @exclusivity(unchecked) fileprivate(set) var due = TimedSocket.never
  /// The time by which the clock has it: not later than `due`.
  fileprivate var sortedBy = TimedSocket.never
  /// Its place in the clock; -1 if it has none.
  fileprivate var clockPlace = -1
  /// Its place in the list of the door; -1 if it has none.
  var place = -1
  /// Whether it waits for its turn (`HTTPDoor.goOnLater`).
  @exclusivity(unchecked) var isWaiting = false

  static let never = Instant(microseconds: .max)

  /// Its turn has come.
  func goOn() {}

  /// Its time has come.
  func clockRings(at now: Instant) {}

  /// Whether it has last bytes to write: a server that ends waits for them.
  var isWritingLast: Bool { false }

  /// The server begins to drain.
  func drainingBegins() {}

  /// The server ends: the socket is closed at once.
  func closeNow() {}
}

/// The times of all sockets of the doors, the next one first: a heap in which each socket has one place at most.
///
/// A later time costs nothing until the earlier one has come. So a socket that is used all the time is looked at once in
/// each of its times, and not for each request.
struct SocketClock {
  private var sockets: [TimedSocket] = []

  /// When the next look is due; nil if none is.
  var next: Instant? { sockets.first?.sortedBy }

  /// Lets a socket be called at `due`, or not at all with `TimedSocket.never`, in the place of what was set before.
  /// Returns whether `next` may be another one now.
  mutating func set(_ socket: TimedSocket, at due: Instant) -> Bool {
    socket.due = due
    guard due < socket.sortedBy else { return false }
    socket.sortedBy = due
    if socket.clockPlace < 0 {
      socket.clockPlace = sockets.count
      sockets.append(socket)
    }
    rise(socket.clockPlace)
    return socket.clockPlace == 0
  }

  /// Forgets a socket.
  mutating func remove(_ socket: TimedSocket) {
    socket.due = TimedSocket.never
    let place = socket.clockPlace
    guard place >= 0 else { return }
    socket.clockPlace = -1
    socket.sortedBy = TimedSocket.never
    let last = sockets.removeLast()
    guard last !== socket else { return }
    sockets[place] = last
    last.clockPlace = place
    sink(place)
    rise(last.clockPlace)
  }

  /// A socket whose time has come; nil if there is none. It has no time any more.
  mutating func popDue(at now: Instant) -> TimedSocket? {
    while let first = sockets.first, first.sortedBy <= now {
      guard first.due > now else {
        remove(first)
        return first
      }
      if first.due == TimedSocket.never {
        remove(first)
      } else {
        first.sortedBy = first.due
        sink(0)
      }
    }
    return nil
  }

  private mutating func rise(_ start: Int) {
    var place = start
    while place > 0 {
      let parent = (place - 1) / 2
      guard sockets[place].sortedBy < sockets[parent].sortedBy else { return }
      exchange(place, parent)
      place = parent
    }
  }

  private mutating func sink(_ start: Int) {
    var place = start
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < sockets.count {
        if sockets[child].sortedBy < sockets[least].sortedBy { least = child }
      }
      if least == place { return }
      exchange(place, least)
      place = least
    }
  }

  private mutating func exchange(_ one: Int, _ other: Int) {
    sockets.swapAt(one, other)
    sockets[one].clockPlace = one
    sockets[other].clockPlace = other
  }
}
