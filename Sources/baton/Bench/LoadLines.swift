/// The lines that the load writes, padded by their payload to the size that was asked for.
enum LoadLines {
  /// The bench's own topic, so that handlers of other programs do not get its messages.
  private static let topic = "baton.bench"

  /// Sends that differ in their `id` only, which is their place; one behind the other.
  static func sends(_ count: Int, bytes: Int, chain: String) -> LoadBuffer {
    var lines = LoadBuffer()
    for id in 0..<count { lines.append(send(id, bytes: bytes, chain: chain)) }
    return lines
  }

  private static func send(_ id: Int, bytes: Int, chain: String) -> String {
    let start = "{\"op\":\"send\",\"id\":\(id),\"topic\":\"\(topic)\",\"chain\":\"\(chain)\",\"payload\":\""
    return padded(start.replacing(",\"chain\":\"main\"", with: ""), to: bytes)
  }

  /// The shortest send line that can be asked for.
  static func leastSend(chain: String) -> Int { send(65535, bytes: 0, chain: chain).utf8.count }

  static func broadcast(bytes: Int) -> String {
    padded("{\"op\":\"broadcast\",\"topic\":\"\(topic)\",\"payload\":\"", to: bytes)
  }

  /// The shortest broadcast line that can be asked for.
  static var leastBroadcast: Int { broadcast(bytes: 0).utf8.count }

  /// Broadcasts of the control client, whose payload is their place; one behind the other.
  static func controls(_ count: Int, bytes: Int) -> LoadBuffer {
    var lines = LoadBuffer()
    for place in 0..<count { lines.append(control(place, bytes: bytes)) }
    return lines
  }

  private static func control(_ place: Int, bytes: Int) -> String {
    padded(
      "{\"op\":\"broadcast\",\"reply\":false,\"topic\":\"baton.control\",\"payload\":\(place),\"meta\":\"", to: bytes)
  }

  /// The shortest broadcast of the control client that can be asked for.
  static var leastControl: Int { control(65535, bytes: 0).utf8.count }
  static let subscribeToControl = "{\"op\":\"subscribe\",\"topics\":[\"baton.control\"]}\n"
  /// What its events begin with; their place follows.
  static let controlEvent = "{\"op\":\"event\",\"topic\":\"baton.control\",\"payload\":"

  private static func padded(_ start: String, to bytes: Int) -> String {
    let end = "\"}\n"
    return start + String(repeating: "x", count: max(0, bytes - start.utf8.count - end.utf8.count)) + end
  }

  /// The handler at `place` of the chain, counted from 1: its rank says the order, whichever insert comes first.
  static func insert(_ place: Int, chain: String, window: Int) -> String {
    "{\"op\":\"insert\",\"handler\":\"bench-\(place)\",\"chain\":\"\(chain)\",\"accepts\":[\"\(topic)\"],"
      + "\"rank\":\(place),\"window\":\(window)}\n"
  }

  static let subscribe = "{\"op\":\"subscribe\",\"topics\":[\"\(topic)\"]}\n"
}
