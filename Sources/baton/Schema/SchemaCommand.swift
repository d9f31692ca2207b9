import ArgumentParser

/// `baton schema`: prints what other programs check lines and files with.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print a JSON Schema: of lines, or of the configuration file.",
    discussion: """
      request is a line to the server, line is one of the server, file is its file, and asyncapi is the protocol for tools \
      that read AsyncAPI 3. Editors complete and check the file with its schema.

      EXAMPLES:
        baton schema file > baton.schema.json
        baton schema request > request.schema.json
      """)

  /// What the schema is of.
  enum Subject: String, CaseIterable, ExpressibleByArgument {
    case request, line, file, asyncapi

    fileprivate var text: String {
      switch self {
      case .request: SchemaText.request
      case .line: SchemaText.line
      case .file: SchemaText.file
      case .asyncapi: SchemaText.asyncapi
      }
    }
  }

  @Argument(help: "request, line, file or asyncapi.")
  var subject: Subject

  func run() throws { try put(subject.text) }
}
