import ArgumentParser
import BatonConfig

/// Which file says what the server is to do.
struct ConfigOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The configuration file. (default: BATON_CONFIG, or none)", valueName: "file"))
  var config: String?

  /// The path of the file; nil if nobody names one. An argument wins over the environment.
  func path(argument: String? = nil) throws -> String? {
    if argument != nil, config != nil { throw ValidationError("the file is named twice; leave --config out") }
    return argument ?? config ?? Environment[ServerEnvironment.fileVariable]
  }

  /// The path of the file. Throws if nobody names one.
  func requiredPath(argument: String? = nil) throws -> String {
    if let path = try path(argument: argument) { return path }
    throw ValidationError("name the configuration file: as an argument, with --config, or in BATON_CONFIG")
  }

  /// Does what reads a configuration. If that is wrong, prints all that is, one mistake a line or as one object with
  /// `errors`, and ends with the exit code for a wrong file.
  static func telling<Result>(asJSON: Bool = false, _ body: () throws(ConfigMistakes) -> Result) throws -> Result {
    do throws(ConfigMistakes) {
      return try body()
    } catch {
      if asJSON {
        try put(json: "{\(ConfigCheck.errors(error.all, untold: error.untold))}")
      } else {
        for line in error.lines { talk(line.displaySafe) }
      }
      throw ExitCode.validationFailure
    }
  }
}

extension ConfigMistakes {
  /// A line for each mistake, or several; and one for those that are not told.
  var lines: [String] {
    all.flatMap { $0.description.split(separator: "\n").map(String.init) }
      + (untold > 0 ? ["and \(untold) more; mend these first"] : [])
  }
}
