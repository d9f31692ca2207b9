import ArgumentParser
import BatonClient

/// `baton man`: the manual's pages, made of what `--help` says.
struct Man: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print a page of the manual, or write all of them into a directory.",
    discussion: """
      EXAMPLES:
        baton man | man -l -
        baton man send | man -l -
        baton man --into /usr/local/share/man/man1
      """)

  @Argument(help: "The subcommand that the page is about; none: the program's own page.")
  var subcommand: [String] = []

  @Option(help: ArgumentHelp("Write every page there.", valueName: "directory"), completion: .directory)
  var into: String?

  func validate() throws {
    if into != nil, !subcommand.isEmpty { throw ValidationError("--into writes all pages; name no subcommand") }
  }

  func run() throws {
    let pages = ManualPage.all(of: try CommandInfo.of(Baton.self))
    if let into {
      for page in pages { try write(page.text, toFile: "\(into)/\(page.name).1") }
      return
    }
    let name = (["baton"] + subcommand).joined(separator: "-")
    guard let page = pages.first(where: { $0.name == name }) else {
      throw ValidationError("there is no page \(name); there are \(pages.map(\.name).joined(separator: ", "))")
    }
    try put(page.text)
  }
}
