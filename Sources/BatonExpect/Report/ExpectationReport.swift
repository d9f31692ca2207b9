/// What came of all cases of some files.
package struct ExpectationReport: Sendable {
  /// Each file with the outcomes of its cases.
  package let files: [(path: String, outcomes: [CaseOutcome])]

  /// A report of these files.
  package init(_ files: [(path: String, outcomes: [CaseOutcome])]) { self.files = files }

  /// The number of cases.
  package var count: Int { files.reduce(0) { $0 + $1.outcomes.count } }

  /// The number of cases that are not as expected.
  package var failures: Int { files.reduce(0) { $0 + $1.outcomes.count { !$0.isAsExpected } } }

  /// One object with every case: its file, line, name, whether it is as expected, and if not, what is different and
  /// what happened.
  package var json: String {
    let cases = files.flatMap { file in file.outcomes.map { ExpectationReport.json(of: $0, in: file.path) } }
    return "{\"cases\":\(count),\"failed\":\(failures),\"expectations\":[\(cases.joined(separator: ","))]}"
  }

  private static func json(of outcome: CaseOutcome, in path: String) -> String {
    var members = [
      "\"file\":\(quoted(path))", "\"line\":\(outcome.place.line)", "\"column\":\(outcome.place.column)",
      "\"name\":\(quoted(outcome.name))", "\"ok\":\(outcome.isAsExpected)", "\"took_ms\":\(outcome.tookMilliseconds)",
    ]
    if !outcome.isAsExpected {
      let differences = outcome.differences.map {
        "{\"what\":\(quoted($0.what)),\"expected\":\(quoted($0.expected)),\"found\":\(quoted($0.found))}"
      }
      let trace = outcome.trace.map {
        "{\"at_ms\":\($0.atMilliseconds),\"link\":\(quoted($0.link)),\"words\":\(quoted($0.words))}"
      }
      members.append("\"differences\":[\(differences.joined(separator: ","))]")
      members.append("\"trace\":[\(trace.joined(separator: ","))]")
    }
    return "{\(members.joined(separator: ","))}"
  }

  private static func quoted(_ text: String) -> String { JSONValue.text(text).spelling }
}
