/// Reads `listen`.
extension FileReader {
  static let listenKeys = ListenEntry.Place.kinds + ["mode", "group", "plain_tokens"]

  mutating func readListen(_ node: Node) {
    if case .text(let text) = node.content, let port = UInt16(text.string) {
      wrong(node.place, "listen is a list of places, and a port stands here; write [tcp:127.0.0.1:\(port)]")
      return
    }
    guard let nodes = elements(of: node, "listen") else { return }
    if nodes.isEmpty { wrong(node.place, "listen is empty; leave it out to listen at \(ListenEntry.byDefault.place)") }
    var places: [ListenEntry.Place: FilePlace] = [:]
    var entries: [Sourced<ListenEntry>] = []
    for node in nodes {
      guard let entry = listenEntry(node) else { continue }
      if let first = places[entry.place], !entry.takesFreePort {
        wrong(node.place, "the server listens at \(entry.place) already; line \(first.line) says so")
        continue
      }
      places[entry.place] = node.place
      entries.append(Sourced(entry, from: origin(node.place)))
    }
    file.listen = entries
  }

  private mutating func listenEntry(_ node: Node) -> ListenEntry? {
    if case .map = node.content { return listenEntry(ofMap: node) }
    guard let text = text(node, "a place to listen at") else { return nil }
    do throws(ListenEntry.Place.Complaint) {
      return ListenEntry(resolved(try ListenEntry.Place(text)))
    } catch {
      wrong(node.place, error.message)
      return nil
    }
  }

  private mutating func listenEntry(ofMap node: Node) -> ListenEntry? {
    let members = members(of: node, "a place to listen at", keys: FileReader.listenKeys)
    let places = members.filter { ListenEntry.Place.kinds.contains($0.key) }
    guard let first = places.first, places.count == 1 else {
      wrong(node.place, "a place to listen at has one of tcp, tls and unix; this one has \(places.count)")
      return nil
    }
    var entry = place(of: first).map { ListenEntry($0) }
    for member in members {
      switch member.key {
      case "mode":
        if only("unix", first, member) { entry?.mode = mode(member.value) }
      case "group":
        if only("unix", first, member), let text = text(member.value, "group") { entry?.group = SystemGroup(text) }
      case "plain_tokens":
        if only("tcp", first, member) { entry?.takesPlainTokens = flag(member.value, "plain_tokens") ?? false }
      default: break
      }
    }
    return entry
  }

  private mutating func place(of member: Node.Member) -> ListenEntry.Place? {
    guard let text = text(member.value, member.key) else { return nil }
    do throws(ListenEntry.Place.Complaint) {
      return resolved(try ListenEntry.Place(kind: member.key, text))
    } catch {
      wrong(member.value.place, error.message)
      return nil
    }
  }

  /// Whether a key may stand beside the kind of place; if not, it is told.
  private mutating func only(_ kind: String, _ place: Node.Member, _ member: Node.Member) -> Bool {
    if place.key == kind { return true }
    wrong(member.place, "\(member.key) is for \(kind), not for \(place.key); leave it out")
    return false
  }

  private mutating func mode(_ node: Node) -> UInt16? {
    guard let text = text(node, "mode") else { return nil }
    guard text.utf8.count == 4, text.hasPrefix("0"), text.utf8.allSatisfy({ (0x30...0x37).contains($0) }) else {
      let digits = text.hasPrefix("0o") ? text.dropFirst(2) : text[...]
      let isShort = digits.utf8.count == 3 && digits.utf8.allSatisfy { (0x30...0x37).contains($0) }
      let hint = isShort ? "; write '0\(digits)'" : ""
      wrong(node.place, "mode is four octal digits, the first one 0, as in '0660', not \(quoted(text))\(hint)")
      return nil
    }
    return UInt16(text, radix: 8)
  }

  private func resolved(_ place: ListenEntry.Place) -> ListenEntry.Place {
    if case .unix(let path) = place { .unix(path: resolved(path)) } else { place }
  }
}

extension ListenEntry {
  /// Whether the system chooses the port: two of these are two places.
  fileprivate var takesFreePort: Bool {
    switch place {
    case .tcp(_, let port), .tls(_, let port): port == 0
    case .unix: false
    }
  }
}

extension SystemGroup {
  /// Digits are a number, all else is a name.
  init(_ text: String) {
    if let number = UInt32(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      self = .number(number)
    } else {
      self = .name(text)
    }
  }
}
