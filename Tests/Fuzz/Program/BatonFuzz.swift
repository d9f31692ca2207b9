import ArgumentParser

/// The program for tests that run as long as the user wants.
@main
struct BatonFuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton-fuzz",
    abstract: "Puts made-up lines, conditions and peers before what reads them, or measures the scanner.",
    subcommands: [FuzzScan.self, FuzzLists.self, FuzzConditions.self, FuzzServer.self, FuzzChurn.self, ScanSpeed.self])
}
