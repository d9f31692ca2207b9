/// The walk of a message, hop by hop, for people.
struct TraceTable {
  private var table = TextTable(columns: [
    .init(title: "CHAIN", importance: 3, least: 6), .init(title: "LINK", importance: 7, least: 6),
    .init(title: "OUTCOME", importance: 6), .init(title: "WAITED", importance: 1, isRight: true),
    .init(title: "TOOK", importance: 4, isRight: true), .init(title: "PAYLOAD", importance: 2),
    .init(title: "MESSAGE", importance: 5, least: 10),
  ])

  init(_ hops: [Hop]) {
    for hop in hops {
      table.rows.append(
        .cells([
          .init(hop.chain), .init(hop.name),
          .init(
            hop.outcomeWords + (hop.again == true ? " (again)" : "") + (hop.together == true ? " (together)" : ""),
            TraceTable.style(of: hop.outcome)),
          .init(Figures.microseconds(hop.waitMicroseconds)), .init(Figures.microseconds(hop.serviceMicroseconds)),
          .init(hop.rewrote == true ? "rewritten" : ""), .init(hop.message ?? ""),
        ]))
    }
  }

  func lines(within columns: Int, paint: Paint) -> [String] {
    let lines = table.lines(width: columns, paint: paint)
    return [lines.titles] + lines.rows
  }

  private static func style(of outcome: String?) -> Style? {
    switch outcome {
    case nil: .dim
    case "handled": .green
    case "continue": nil
    default: .red
    }
  }
}
