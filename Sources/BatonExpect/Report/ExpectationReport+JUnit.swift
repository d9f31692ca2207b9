/// The report as XML that continuous integration reads: the elements of JUnit on which all readers agree.
extension ExpectationReport {
  /// A whole document. Times are those of the moved clock, so that the same files give the same bytes.
  package var junit: String {
    let suites = files.map { file in
      let cases = file.outcomes.map { ExpectationReport.junit(of: $0, in: file.path) }
      let failed = file.outcomes.count { !$0.isAsExpected }
      let time = ExpectationReport.seconds(file.outcomes)
      return """
          <testsuite name="\(JUnit.escaped(file.path))" tests="\(cases.count)" failures="\(failed)" errors="0" skipped="0" \
        time="\(time)">
        \(cases.joined(separator: "\n"))
          </testsuite>
        """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="baton expect" tests="\(count)" failures="\(failures)" errors="0" \
      time="\(ExpectationReport.seconds(files.flatMap(\.outcomes)))">
      \(suites.joined(separator: "\n"))
      </testsuites>

      """
  }

  private static func junit(of outcome: CaseOutcome, in path: String) -> String {
    let head = """
          <testcase name="\(JUnit.escaped(outcome.name))" classname="\(JUnit.escaped(path))" file="\(JUnit.escaped(path))" \
      line="\(outcome.place.line)" time="\(seconds([outcome]))"
      """
    guard let first = outcome.differences.first else { return head + "/>" }
    let more = outcome.differences.count > 1 ? ", and \(outcome.differences.count - 1) more" : ""
    let message = "\(first.what): expected \(first.expected), found \(first.found)\(more)"
    return """
      \(head)>
            <failure message="\(JUnit.escaped(message))" type="difference">\(JUnit.escaped(outcome.story(in: path), isContent: true))</failure>
          </testcase>
      """
  }

  private static func seconds(_ outcomes: [CaseOutcome]) -> String {
    let milliseconds = outcomes.reduce(0) { $0 + $1.tookMilliseconds }
    let rest = "\(milliseconds % 1000)"
    return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }
}

extension CaseOutcome {
  /// What is different, and what happened, in lines.
  fileprivate func story(in path: String) -> String {
    var lines = ["\(path):\(place)"]
    lines += differences.map { "\($0.what): expected \($0.expected), found \($0.found)" }
    lines += trace.map { "\($0.atMilliseconds) ms: \($0.link) \($0.words)" }
    return lines.joined(separator: "\n")
  }
}

/// JUnit's XML.
package enum JUnit {
  /// A text within XML, in content or within quotes. Characters that no XML may have are spelled out.
  package static func escaped(_ text: String, isContent: Bool = false) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n": escaped += isContent ? "\n" : "&#10;"
      case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}":
        escaped += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
