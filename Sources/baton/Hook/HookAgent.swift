/// What is known of one agent. Each fact stands in one place: in the file of the agent, in `Agents`. Where it was found,
/// and when, stands beside it; `Tests/Hook` has questions as the agents write them, and a model of what each does with an
/// answer.
struct HookAgent: Sendable {
  /// Where facts were found.
  struct Source: Sendable {
    /// Documentation, source, or what others report who ran it.
    enum Kind: Sendable { case documentation, source, report }

    let kind: Kind
    let place: String
    /// The day, the month or the version that it tells of.
    let asOf: String
  }

  /// The names of the members of a question.
  struct Members: Sendable {
    var tool = "tool_name"
    var arguments = "tool_input"
    var session = "session_id"
    let cwd = "cwd"
    let call = "tool_use_id"
    let model = "model"
    let mode = "permission_mode"
    let event = "hook_event_name"
  }

  /// How a name tells an MCP tool from the agent's own.
  enum Naming: Sendable {
    /// `mcp__SERVER__TOOL`, perhaps with `mcp_server.name` beside it.
    case doubled
    /// `MCP:TOOL`; the server is not told.
    case marked
    /// `mcp_context` says server and tool.
    case context
    /// Names do not tell.
    case none
  }

  /// How a no is said first.
  enum Refusing: Sendable {
    /// The sentence on standard error, nothing on standard output, exit code 2.
    case byCode
    /// JSON on standard output, exit code 0.
    case byJSON
  }

  /// What it calls its tools, for rules to begin with.
  struct Tools: Sendable {
    /// The one that runs commands: they stand in `command`.
    let shell: String
    /// Those that read and write, and the argument in which their file or folder stands, and nothing else says another one.
    let reading: [(argument: String, tools: [String])]
    let writing: [(argument: String, tools: [String])]
    /// What stands in the paths of its settings.
    let settings: [String]
  }

  /// One of the files in which hooks are entered.
  struct Place: Sendable {
    /// The variable that names another folder than the one in the home.
    var variable: String?
    /// The folder in the home, and the file in it.
    let folder: String
    let file: String
    /// The machine's file; nil if it is no JSON.
    let linux: String?
    let macOS: String?
  }

  let form: HookForm
  let name: String
  let sources: [Source]
  /// The name of the event before a tool runs.
  let event: String
  var members = Members()
  let naming: Naming
  let refusing: Refusing
  /// The JSON of a no around the sentence, and the exit code behind it.
  let noBefore: String
  let noBetween: String?
  let noBehind: String
  var noCode: Int32 = 0
  /// What is printed for a yes, and for a yes after which the user is not asked; nil: there is none.
  var yes = ""
  let yesUnasked: String?
  let place: Place
  let tools: Tools
  /// Whether the file begins with `"version": 1`.
  var hasVersion = false
  /// How many units of its `timeout` are a second.
  var unitsPerSecond = 1
  /// The entry around the command, which is JSON already, and the time in units.
  let entry: @Sendable (_ command: String, _ time: Int, _ closed: Bool) -> String
  /// What `check` cannot see, and a person can.
  let unseen: [String]
  /// Files in a project, or the user's, that can switch hooks off.
  let switches: [HookSwitch]

  /// The sentence as the agent's JSON of a no.
  func no(_ quoted: String) -> String { noBefore + quoted + (noBetween.map { $0 + quoted } ?? "") + noBehind }
}

/// One way in which hooks are switched off: where it would stand, and what.
struct HookSwitch: Sendable {
  enum Place: Sendable {
    /// In the folder in which `check` runs, or in one above it.
    case project(String)
    /// In the agent's folder of the user.
    case user(String)
  }

  enum Sign: Sendable {
    /// The way to a flag that must not have this value.
    case flag([String], Bool)
    /// The way to a list that is empty unless it names hooks.
    case list([String])
    /// What a line of TOML says, without spaces and quotes.
    case toml(String)
    /// The way to variables that the agent sets: some load code into a hook.
    case variables([String])
  }

  let place: Place
  let sign: Sign
  let words: String
}
