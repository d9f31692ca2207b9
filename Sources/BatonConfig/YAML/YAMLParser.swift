internal import CYAML

/// libyaml's parser over the bytes of a file: one event after the other, with Swift's types.
///
/// Nothing else knows libyaml. It needs no memory beyond what one event and the levels around it take.
final class YAMLParser {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>

  /// What libyaml says about a text that is no YAML.
  struct Problem: Error {
    let words: String
    let place: FilePlace
    /// What it was reading, and where that begins; empty and nil if it does not say.
    let context: String
    let contextPlace: FilePlace?
  }

  struct Event {
    let kind: Kind
    let place: FilePlace
    /// Whether the node has a name (`&name`), or says its type (`!type`).
    var hasAnchor = false
    var hasTag = false

    enum Kind {
      case text(String, style: Style)
      case alias(String)
      case listBegins, listEnds, mapBegins, mapEnds
      case documentBegins, fileEnds
      case other
    }

    /// How a text is written: bare, in quotes, or as lines below `|` or `>`.
    enum Style {
      case plain, quoted, literal, folded
    }
  }

  init(_ bytes: [UInt8]) {
    input = .allocate(capacity: bytes.count)
    _ = input.initialize(from: bytes)
    parser = .allocate(capacity: 1)
    // It fails only without memory; then so does everything else.
    let isMade = yaml_parser_initialize(parser) == 1
    precondition(isMade, "no memory is left")
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress ?? nothing, input.count)
  }

  /// Where an empty file begins: libyaml wants an address for no bytes, too.
  private let nothing = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    input.deallocate()
    nothing.deallocate()
  }

  /// The next event. After `fileEnds` or a problem there is none.
  func next() throws(Problem) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw problem }
    defer { yaml_event_delete(&event) }
    return Event(event)
  }

  private var problem: Problem {
    let state = parser.pointee
    let hasContext = state.context != nil
    return Problem(
      words: state.problem.map { String(cString: $0) } ?? "it cannot be read",
      place: FilePlace(state.problem_mark), context: state.context.map { String(cString: $0) } ?? "",
      contextPlace: hasContext ? FilePlace(state.context_mark) : nil)
  }
}

extension FilePlace {
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(clamping: mark.line) &+ 1, column: Int(clamping: mark.column) &+ 1)
  }
}

extension YAMLParser.Event {
  fileprivate init(_ event: yaml_event_t) {
    place = FilePlace(event.start_mark)
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      kind = .text(String(decoding: bytes, as: UTF8.self), style: Style(scalar.style))
      hasAnchor = scalar.anchor != nil
      hasTag = scalar.tag != nil
    case YAML_SEQUENCE_START_EVENT:
      kind = .listBegins
      hasAnchor = event.data.sequence_start.anchor != nil
      hasTag = event.data.sequence_start.tag != nil
    case YAML_MAPPING_START_EVENT:
      kind = .mapBegins
      hasAnchor = event.data.mapping_start.anchor != nil
      hasTag = event.data.mapping_start.tag != nil
    case YAML_ALIAS_EVENT: kind = .alias(event.data.alias.anchor.map { String(cString: $0) } ?? "")
    case YAML_SEQUENCE_END_EVENT: kind = .listEnds
    case YAML_MAPPING_END_EVENT: kind = .mapEnds
    case YAML_DOCUMENT_START_EVENT: kind = .documentBegins
    case YAML_STREAM_END_EVENT: kind = .fileEnds
    default: kind = .other
    }
  }
}

extension YAMLParser.Event.Style {
  fileprivate init(_ style: yaml_scalar_style_t) {
    switch style {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE: self = .quoted
    case YAML_LITERAL_SCALAR_STYLE: self = .literal
    case YAML_FOLDED_SCALAR_STYLE: self = .folded
    default: self = .plain
    }
  }
}
