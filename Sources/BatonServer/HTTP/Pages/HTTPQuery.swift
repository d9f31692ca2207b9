internal import BatonCore
internal import HTTP

/// The query of a request: members that the page takes, each once.
struct HTTPQuery {
  /// The members in their order. The value is as it stood in the target.
  private(set) var members: [(member: HTTPMember, raw: ArraySlice<UInt8>)] = []

  /// Reads `query`, which is nil if the target has none. Throws at a member that `page` does not take, or that stands
  /// there twice.
  init(_ query: [UInt8]?, known: [HTTPMember], page: String) throws(HTTPRefusal) {
    guard let query, !query.isEmpty else { return }
    for pair in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      let name = try HTTPQuery.decoded(pair[..<equals])
      guard let member = known.first(where: { name.elementsEqual($0.name.utf8) }) else {
        throw HTTPQuery.unknown(name, known: known, page: page)
      }
      if members.contains(where: { $0.member.name == member.name }) {
        throw HTTPRefusal(.duplicateMember, "the query has \"\(member.name)\" twice; leave one out")
      }
      members.append((member, pair[equals...].dropFirst()))
    }
  }

  /// Forgets members of these names.
  mutating func leaveOut(_ names: [String]) { members.removeAll { names.contains($0.member.name) } }

  /// The bytes of a piece of the query: `+` is a space, and escapes are resolved once.
  static func decoded(_ piece: ArraySlice<UInt8>) throws(HTTPRefusal) -> [UInt8] {
    do {
      return try PercentText.decodeQuery(piece)
    } catch {
      throw HTTPRefusal(.badRequest, "the query is wrong at \"\(shown(piece))\": \(error.message)")
    }
  }

  private static func unknown(_ name: [UInt8], known: [HTTPMember], page: String) -> HTTPRefusal {
    if known.isEmpty { return HTTPRefusal(.unknownMember, "\(page) takes no query; leave out \"\(shown(name))\"") }
    let names = known.map(\.name)
    let hint =
      nearestName(to: String(decoding: name, as: UTF8.self), among: names).map { "did you mean \"\($0)\"?" }
      ?? "it takes \(names.joined(separator: ", "))"
    return HTTPRefusal(.unknownMember, "\(page) has no member \"\(shown(name))\"; \(hint)")
  }
}
