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
    let lines = [problem.place, problem.contextPlace].compactMap { $0.map { source.line($0.line) } }
    if lines.contains(where: Slip.hasBareIPv6) {
      place = problem.place
      message = "an address with [ ] wants quotes inside of [ ] and { }: 'tcp:[::1]:22866'"
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
    return bare.contains(":[") || bare.contains("[::")
  }

  /// For what was begun and never ended, the place where it begins.
  private static func place(of problem: YAMLParser.Problem) -> FilePlace {
    let isUnended = problem.context.contains("quoted scalar") || problem.context.contains("flow")
    return isUnended ? problem.contextPlace ?? problem.place : problem.place
  }

  private static func words(for problem: YAMLParser.Problem, in source: SourceText) -> String {
    switch (problem.context, problem.words) {
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
      return "a colon is missing: a line is KEY: VALUE, and the line before this one is not"
    case (_, "did not find expected key"), (_, "did not find expected '-' indicator"):
      return "this does not fit what stands above; lines of the same map or list begin in the same column"
    case ("", let words): return "this is not YAML: \(words)"
    case (let context, let words): return "this is not YAML: \(context), \(words)"
    }
  }
}
