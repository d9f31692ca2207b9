/// The faults that are named: one of them; "all"; or, with "2/3", each third one from the one behind two others on.
package func planted<Fault>(_ words: String, of all: [Fault], named name: (Fault) -> String) -> [Fault] {
  if words == "all" { return all }
  let part = words.split(separator: "/").compactMap { Int($0) }
  if part.count == 2, part[1] > 0 { return stride(from: part[0] % part[1], to: all.count, by: part[1]).map { all[$0] } }
  return all.filter { name($0) == words }
}
