import ArgumentParser
import BatonExpect
import BatonServer

/// What continuous integration reads: a case for each kind of change, and one for all that are decided as then.
struct ReplayReport {
  private let link: String
  private let changes: DecisionChanges

  init(_ link: String, _ changes: DecisionChanges) { (self.link, self.changes) = (link, changes) }

  func write(to path: String) throws {
    let failed = changes.kinds.map { words, count, examples in
      """
          <testcase name="\(JUnit.escaped(words))" classname="\(JUnit.escaped(link))">
            <failure message="\(count) decided otherwise" type="difference">lines \
      \(examples.map { "\($0)" }.joined(separator: ", "))</failure>
          </testcase>
      """
    }
    let same =
      "    <testcase name=\"\(changes.compared - changes.changed) decided as then\" classname=\"\(JUnit.escaped(link))\"/>"
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="baton replay" tests="\(failed.count + 1)" failures="\(failed.count)" errors="0">
        <testsuite name="\(JUnit.escaped(link))" tests="\(failed.count + 1)" failures="\(failed.count)" errors="0" skipped="0">
      \((failed + [same]).joined(separator: "\n"))
        </testsuite>
      </testsuites>

      """
    try ReportFile.keep(text, in: path)
  }
}
