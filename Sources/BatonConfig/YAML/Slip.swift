/// Says in plain words what libyaml found wrong, and what was probably meant. It knows the slips that are usual with
/// patterns, addresses and tabs.
struct Slip {
  let place: FilePlace
  let message: String

  init(_ problem: YAMLParser.Problem, in source: SourceText) {
    let name = problem.context.contains("alias") ? "*" : problem.context.contains("anchor") ? "&" : nil
    if let name, let start = problem.contextPlace {
      // `*.x` and `*` alone: libyaml takes the star for the beginning of a reference.
      place = start
      message = Slip.quotes(name, at: start, in: source)
      return
    }
    if let tab = Slip.tab(at: problem, in: source) {
      place = tab
      message = "a tab stands here; YAML wants spaces"
      return
    }
    if let (line, words) = Slip.wholeLine(of: problem, in: source) {
      place = FilePlace(line: line, column: 1)
      message = words
      return
    }
    let lines = [problem.place, problem.contextPlace].compactMap { $0.map { Slip.head(of: source.line($0.line)) } }
    if lines.contains(where: Slip.hasBareIPv6) {
      place = problem.place
      message = "an address with [ ] wants quotes inside of [ ] and { }: 'tcp:[::1]:22866'"
      return
    }
    if let column = lines.lazy.compactMap(Slip.columnOfGluedBracket).first {
      let isHere = Slip.columnOfGluedBracket(in: Slip.head(of: source.line(problem.place.line))) != nil
      place = FilePlace(
        line: isHere ? problem.place.line : problem.contextPlace?.line ?? problem.place.line, column: column)
      message = "after the colon of a key comes a space, as in KEY: [ ] and KEY: { }"
      return
    }
    if let found = source.character(at: problem.place), "*>&!|%@`".unicodeScalars.contains(found),
      problem.words.contains("cannot start any token") || problem.context.contains("tag")
        || problem.context.contains("block scalar")
    {
      place = problem.place
      message = Slip.quotes(String(found), at: problem.place, in: source)
      return
    }
    place = Slip.place(of: problem)
    message = Slip.words(for: problem, in: source)
  }

  /// For a text that begins with a sign that means something in YAML.
  private static func quotes(_ sign: String, at place: FilePlace, in source: SourceText) -> String {
    let rest = source.line(place.line).unicodeScalars.dropFirst(place.column - 1)
    let text = String(String.UnicodeScalarView(rest.prefix { !" ,]}\t".unicodeScalars.contains($0) }))
    return "a text that begins with \(sign) wants quotes: '\(text.count > 40 || mayBeToken(text) ? "\(sign)…" : text)'"
  }

  /// The tab because of which a line is not understood.
  private static func tab(at problem: YAMLParser.Problem, in source: SourceText) -> FilePlace? {
    if source.character(at: problem.place) == "\t" { return problem.place }
    for number in [problem.place.line, problem.place.line - 1] {
      let space = source.line(number).unicodeScalars.prefix { $0 == " " || $0 == "\t" }
      if let at = Array(space).firstIndex(of: "\t") { return FilePlace(line: number, column: at + 1) }
    }
    return nil
  }

  /// As much of a line as slips are looked for in: a line may be as long as the file.
  private static func head(of line: String) -> String { String(line.unicodeScalars.prefix(2000)) }

  /// Whether the line has an address with brackets outside of quotes, as in `[tcp:[::1]:1]`.
  private static func hasBareIPv6(_ line: String) -> Bool {
    var bare = ""
    var quote: Character?
    for character in line {
      if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else if quote == nil {
        bare.append(character)
      }
    }
    return bare.contains("[::") || bare.firstMatch(of: /\[[0-9A-Fa-f]+:[0-9A-Fa-f:.]*\]/) != nil
  }

  /// Where a list or a map stands right behind the colon of a key, as in `links:[ ]`; nil if none does.
  private static func columnOfGluedBracket(in line: String) -> Int? {
    guard let match = line.firstMatch(of: /[A-Za-z0-9_]:[\[{]/) else { return nil }
    let before = line[..<match.range.lowerBound].unicodeScalars
    guard !before.contains("'"), !before.contains("\""), !before.contains("#") else { return nil }
    return before.count + 3
  }

  /// A line of which nothing is YAML, there or right before; nil if there is none. Its number, and what to say.
  private static func wholeLine(of problem: YAMLParser.Problem, in source: SourceText) -> (line: Int, words: String)? {
    let number = problem.place.line
    if source.line(number).hasPrefix("%"), (problem.context + problem.words).contains(/directive|incompatible/) {
      return (number, "a line that begins with % is for YAML itself, and not used here; take it out")
    }
    for number in [number, number - 1] where source.line(number).hasPrefix("//") {
      return (number, "a comment begins with #, and not with //")
    }
    return nil
  }

  /// For what was begun and never ended, the place where it begins.
  private static func place(of problem: YAMLParser.Problem) -> FilePlace {
    if problem.words.contains("escape") { return problem.place }
    if problem.context.contains("simple key") { return problem.contextPlace ?? problem.place }
    let isUnended = problem.context.contains("quoted scalar") || problem.context.contains("flow")
    return isUnended ? problem.contextPlace ?? problem.place : problem.place
  }

  private static func words(for problem: YAMLParser.Problem, in source: SourceText) -> String {
    switch (problem.context, problem.words) {
    case (_, let words) where words.contains("escape"):
      return "a backslash means something in double quotes, and this one is not understood; use single quotes: 'a\\b'"
    case (let context, _) where context.contains("quoted scalar"):
      return "the text that begins here with a quote does not end; a quote within is written twice: 'it''s'"
    case (let context, _) where context.contains("flow sequence"):
      return "the list that begins here with [ is not understood up to line \(problem.place.line); it ends with ], and "
        + "commas stand between its texts"
    case (let context, _) where context.contains("flow mapping"):
      return "the map that begins here with { is not understood up to line \(problem.place.line); it ends with }, and "
        + "commas stand between its KEY: VALUE"
    case (_, "mapping values are not allowed in this context"):
      return "a KEY: VALUE cannot stand here; look at the spaces before it, or put a text with \": \" in quotes"
    case (_, "could not find expected ':'"):
      let line = problem.contextPlace.map { source.line($0.line) } ?? ""
      if line.firstMatch(of: /^ *-[^ -]/) != nil { return "after the dash of a list comes a space, as in - VALUE" }
      return "a colon is missing: a line is KEY: VALUE, and this one is not"
    case (_, "did not find expected node content"):
      return "a value is missing in front of this sign; take the sign out, or put a text with it in quotes"
    case (_, "did not find expected key")
    where source.line(problem.place.line).unicodeScalars.dropFirst(problem.place.column - 1).first.map {
      "]}".unicodeScalars.contains($0)
    } == true:
      return "this bracket ends nothing; take it out"
    case (_, "did not find expected key"), (_, "did not find expected '-' indicator"):
      return "this does not fit what stands above; lines of the same map or list begin in the same column"
    case ("", let words): return "this is not YAML: \(words)"
    case (let context, let words): return "this is not YAML: \(context), \(words)"
    }
  }
}
