/// Reads `listen` and `http`.
extension FileReader {
  static let listenKeys = ListenEntry.Place.kinds + ["mode", "group", "plain_tokens", "proxy_protocol"]
  static let httpKeys = ListenEntry.Place.httpKinds + ["plain_tokens", "proxy_protocol"]

  mutating func readListen(_ node: Node) {
    if case .text(let text) = node.content, let port = UInt16(text.string) {
      wrong(node.place, "listen is a list of places, and a port stands here; write [tcp:127.0.0.1:\(port)]")
      return
    }
    if case .text(let text) = node.content, let place = Self.placeWithoutKind(text.string) {
      wrong(node.place, "listen is a list of places, and a text stands here; write [\(place)]")
      return
    }
    guard let nodes = elements(of: node, "listen") else { return }
    if nodes.isEmpty { wrong(node.place, "listen is empty; leave it out to listen at \(ListenEntry.byDefault.place)") }
    file.listen = entries(of: nodes) { reader, node in reader.listenEntry(node) }
  }

  /// The place of TCP that a text means which says no kind; nil if it is none, or stands only between quotes in a list.
  private static func placeWithoutKind(_ text: String) -> String? {
    let place = "tcp:" + text
    guard !text.contains("["), (try? ListenEntry.Place(text)) == nil, (try? ListenEntry.Place(place)) != nil else {
      return nil
    }
    return place
  }

  mutating func readHTTP(_ member: Node.Member) {
    let node = member.value
    file.httpOrigin = origin(member.place)
    if case .text(let text) = node.content, !text.isQuoted || text.string == "off" {
      if text.string == "off" { return file.http = [] }
      if ["false", "no", "none", "disabled", "[]"].contains(text.string.lowercased()) {
        wrong(node.place, "http is a list of places, or off; write off")
        return
      }
      if let port = UInt16(text.string) {
        wrong(node.place, "http is a list of places, and a port stands here; write [127.0.0.1:\(port)]")
        return
      }
    }
    guard let nodes = elements(of: node, "http") else { return }
    if nodes.isEmpty { wrong(node.place, "http is empty; write off if HTTP shall be served nowhere") }
    file.http = entries(of: nodes) { reader, node in reader.httpEntry(node) }
  }

  /// The places of a list, each once.
  private mutating func entries(
    of nodes: [Node], _ entry: (inout FileReader, Node) -> ListenEntry?
  ) -> [Sourced<ListenEntry>] {
    var places: [ListenEntry.Place: FilePlace] = [:]
    var entries: [Sourced<ListenEntry>] = []
    for node in nodes {
      guard let entry = entry(&self, node) else { continue }
      if let first = places[entry.place], entry.place.port != 0 {
        wrong(node.place, "the server listens at \(entry.place) already; line \(first.line) says so")
        continue
      }
      places[entry.place] = node.place
      entries.append(Sourced(entry, from: origin(node.place)))
    }
    return entries
  }

  private mutating func httpEntry(_ node: Node) -> ListenEntry? {
    if case .map(let members) = node.content { return httpEntry(ofMap: node, members) }
    guard let text = text(node, "a place for HTTP") else { return nil }
    do throws(ListenEntry.Place.Complaint) {
      return ListenEntry(try ListenEntry.Place(http: text))
    } catch {
      let isOff = text == "off" ? "off stands alone, without a list; write http: off" : error.message
      wrong(node.place, isOff)
      return nil
    }
  }

  private mutating func httpEntry(ofMap node: Node, _ all: [Node.Member]) -> ListenEntry? {
    if let socket = all.first(where: { $0.key == "unix" }) {
      wrong(socket.place, ListenEntry.Place.noSocket.message)
      return nil
    }
    let members = members(
      of: node, "a place for HTTP", keys: FileReader.httpKeys, synonyms: ["tcp": "http", "tls": "https"])
    let places = members.filter { ListenEntry.Place.httpKinds.contains($0.key) }
    guard let first = places.first, places.count == 1 else {
      // What is told already is not told again.
      guard members.count == all.count else { return nil }
      wrong(node.place, "a place for HTTP has one of http and https; this one has \(places.count)")
      return nil
    }
    var entry = place(of: first).map { ListenEntry($0) }
    for member in members {
      switch member.key {
      case "plain_tokens":
        if only("http", first, member) { entry?.takesPlainTokens = flag(member.value, "plain_tokens") ?? false }
      case "proxy_protocol": entry?.takesProxyHeader = flag(member.value, "proxy_protocol") ?? false
      default: break
      }
    }
    return entry
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
    if case .map(let all) = node.content, let http = all.first(where: { ListenEntry.Place.httpKinds.contains($0.key) })
    {
      wrong(http.place, ListenEntry.Place.onlyHTTP(http.key).message)
      return nil
    }
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
        guard only("unix", first, member), let text = text(member.value, "group") else { continue }
        // The last number stands for no group.
        if text == "\(UInt32.max)" { wrong(member.value.place, "no group has the number \(text)") }
        entry?.group = SystemGroup(text)
      case "plain_tokens":
        if only("tcp", first, member) { entry?.takesPlainTokens = flag(member.value, "plain_tokens") ?? false }
      case "proxy_protocol" where first.key == "unix":
        wrong(member.place, "proxy_protocol is for tcp and tls, not for unix; leave it out")
      case "proxy_protocol": entry?.takesProxyHeader = flag(member.value, "proxy_protocol") ?? false
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
