internal import BatonCore

/// Reads `peers`: who is known, by what, and what each may do.
extension FileReader {
  static let peerKeys = ["token", "certificate", "user", "may", "limits"]
  /// What stands in messages where an identity would, and so is nobody's.
  private static let reserved = ["stranger", "reload", PeerEntry.owner]
  /// The bytes that an identity may have, so that a peer's own name fits behind it.
  private static let mostBytes = 31

  mutating func readPeers(_ member: Node.Member) {
    file.peersOrigin = origin(member.place)
    let entries = members(of: member.value, "peers")
    if entries.isEmpty, case .map = member.value.content {
      wrong(member.value.place, "peers is empty, so nobody could do anything; name somebody, or leave it out")
    }
    file.peers = entries.map { readPeer($0) }
  }

  mutating func readOpen(_ node: Node) {
    guard let word = text(node, "open") else { return }
    file.open = ConfigurationFile.Openness(rawValue: word).map { Sourced($0, from: origin(node.place)) }
    if file.open == nil {
      let words =
        "open is local (everybody on this machine may do everything), true (everybody may) or false (who has a token)"
      wrong(node.place, "\(words), not \(quoted(word))")
    }
  }

  private mutating func readPeer(_ member: Node.Member) -> PeerEntry {
    var peer = PeerEntry(name: member.key, origin: origin(member.place))
    if let complaint = FileReader.complaint(identity: member.key) { wrong(member.place, complaint) }
    let members = members(
      of: member.value, "the entry \(quoted(member.key))", keys: FileReader.peerKeys,
      synonyms: ["rights": "may", "allow": "may", "permissions": "may", "cert": "certificate", "uid": "user"])
    for member in members {
      switch member.key {
      case "token": peer.tokens = tokens(member.value, of: peer.name)
      case "certificate": peer.certificates = certificates(member.value, of: peer.name)
      case "user": peer.users = users(member.value, of: peer.name)
      case "may": peer.may = rights(member.value)
      default: readLimits(of: &peer, member.value)
      }
    }
    // What has a wrong key may be meant by it.
    guard case .map(let all) = member.value.content, all.count == members.count else { return peer }
    checkWhole(peer, members.map(\.key), at: member.place)
    return peer
  }

  private mutating func checkWhole(_ peer: PeerEntry, _ keys: [String], at place: FilePlace) {
    let signs = ["token", "certificate", "user"].filter(keys.contains)
    if peer.isAnonymous, let sign = signs.first {
      wrong(place, "anonymous is everybody who is not known, so it has no \(sign); give the entry another name")
    } else if !peer.isAnonymous, signs.isEmpty {
      wrong(place, "nobody could be \(quoted(peer.name)); add token, certificate or user (baton token makes a token)")
    }
    if !keys.contains("may") {
      wrong(place, "\(quoted(peer.name)) does not say what it may do; add may, and may: [] for nothing")
    }
  }

  /// What is wrong with the name of an identity; nil if nothing is.
  static func complaint(identity name: String) -> String? {
    if let complaint = BatonCore.complaint(name: name) { return "the name \(quoted(name)) \(complaint)" }
    if name.contains(".") {
      return "the name \(quoted(name)) has a dot, which is for the name that a peer gives itself; use - or _"
    }
    if name.utf8.count > mostBytes { return "the name \(quoted(name)) takes more than \(mostBytes) bytes" }
    if reserved.contains(name) {
      return "no identity is called \(quoted(name)), for messages use the word; take another"
    }
    return nil
  }

  // MARK: What it may do

  private mutating func rights(_ node: Node) -> [Sourced<Right>] {
    var rights: [Sourced<Right>] = []
    for node in elements(of: node, "may") ?? [] {
      guard let text = text(node, "a right") else { continue }
      do throws(RightError) {
        rights.append(Sourced(try Right(parsing: text), from: origin(node.place)))
      } catch {
        // The words quote the text, which may be a token in the wrong place.
        let isSecret = text.contains(Token.prefix)
        let words =
          isSecret ? "this is no right; a right is one of: \(Right.examples.joined(separator: ", "))" : error.message
        wrong(place(ofByte: error.offset, of: text, at: node), words)
      }
    }
    return rights
  }

  /// The place of a byte within a text. In quotes, all is one to the right; escapes and breaks of lines are not
  /// followed.
  private func place(ofByte offset: Int, of text: String, at node: Node) -> FilePlace {
    guard case .text(let content) = node.content else { return node.place }
    let before = String(decoding: text.utf8.prefix(offset), as: UTF8.self).unicodeScalars.count
    return node.place.advanced(by: before + (content.isQuoted ? 1 : 0))
  }

  private mutating func readLimits(of peer: inout PeerEntry, _ node: Node) {
    for member in members(of: node, "limits", keys: PeerLimits.table.map(\.name)) {
      let isRate = PeerLimits.rates.contains(member.key)
      guard
        let value = isRate
          ? number(member.value, member.key, in: PeerLimits.rateRange) : number(member.value, member.key)
      else { continue }
      do throws(SettingError) {
        var trial = Settings()
        if !isRate { try trial.set(member.key, to: value) }
      } catch {
        wrong(member.value.place, "\(error)")
        continue
      }
      peer.limitOrigins[member.key] = origin(member.place)
      for limit in PeerLimits.table where limit.name == member.key { peer.limits[keyPath: limit.path] = value }
    }
    if peer.limits.burst != nil, peer.limits.perSecond == nil {
      wrong(node.place, "burst needs per_second: how many messages a second may come; name it, or leave burst out")
    }
  }
}
