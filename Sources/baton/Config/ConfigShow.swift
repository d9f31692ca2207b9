import ArgumentParser
import BatonClient
import BatonConfig

/// `baton config show`: tells each value that a server would use, and where it comes from.
struct ConfigShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Tell each value, and where it comes from.",
    discussion: """
      It takes the options of baton serve that change values, and the same environment. So it tells what baton serve \
      would do. Each line has three fields with tabs between them: the name, the value, and its source: default, \
      FILE:LINE:COLUMN, a variable of the environment, or an option. Tokens are never shown. With --json, what a reload \
      does not change has needs_start.

      EXAMPLES:
        baton config show baton.yaml
        baton config show baton.yaml --set max_line=65536 | grep -v default
      """)

  @Argument(help: ArgumentHelp("The configuration file. (default: --config, or BATON_CONFIG, or none)"))
  var file: String?

  @OptionGroup var options: ConfigOptions

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup(title: "Addresses")
  var addresses: AddressOptions

  @OptionGroup(title: "HTTP")
  var http: HTTPOptions

  @OptionGroup(title: "Proxies")
  var proxies: ProxyOptions

  @OptionGroup(title: "Access")
  var access: AccessOptions

  @OptionGroup(title: "Encryption")
  var tls: TLSOptions

  @OptionGroup(title: "Limits")
  var limits: LimitChoices

  @OptionGroup(title: "Chains")
  var guards: GuardOptions

  @OptionGroup(title: "Store")
  var store: StoreOptions

  @OptionGroup(title: "Cluster")
  var cluster: ClusterOptions

  func run() throws {
    let path = try options.path(argument: file)
    let flags = Configuration.Flags(
      addresses: addresses, http: http, proxies: proxies, access: access, tls: tls, limits: limits, guards: guards,
      store: store, cluster: cluster)
    let values = try ConfigOptions.telling(asJSON: json) { () throws(ConfigMistakes) in
      try Configuration.read(path: path, flags: flags, variable: Environment.evenEmpty).shown
    }
    if json {
      try put(json: "{\"values\":[\(values.map(\.json).joined(separator: ","))]}")
    } else {
      for value in values { try put(tabbed([value.name, "\(value.value)", "\(value.origin)"])) }
    }
  }
}

extension ShownValue {
  fileprivate var json: String {
    "{\"name\":\(Payload(text: name).json),\"value\":\(value.json),\(origin.json)"
      + (needsStart ? ",\"needs_start\":true}" : "}")
  }
}

extension ShownValue.Value {
  fileprivate var json: String {
    switch self {
    case .text(let text): Payload(text: text).json
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    }
  }
}

extension Origin {
  /// Members of an object.
  var json: String {
    switch self {
    case .byDefault: "\"from\":\"default\""
    case .whole(let path): "\"from\":\"file\",\"file\":\(Payload(text: path).json)"
    case .file(let path, let place):
      "\"from\":\"file\",\"file\":\(Payload(text: path).json),\"line\":\(place.line),\"column\":\(place.column)"
    case .environment(let name): "\"from\":\"environment\",\"variable\":\(Payload(text: name).json)"
    case .flag(let name): "\"from\":\"option\",\"option\":\(Payload(text: name).json)"
    }
  }
}
