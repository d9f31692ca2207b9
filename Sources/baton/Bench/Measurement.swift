import BatonServer
import UV

/// The runs of one measurement: for each a server, unless one runs already, and a load.
enum Measurement {
  /// `scenario` puts a scenario on a load; its `start` sets it up. `settings` are of the server that is started.
  static func runs<Scenario: LoadScenario>(
    _ options: BenchOptions, settings: [String] = [], scenario: (Load) -> Scenario
  ) throws -> [BenchRun] {
    if let core = options.loadCore { try ProcessorClock.own.pin(to: core) }
    return try (0..<options.runs).map { _ in try run(options, settings: settings, scenario: scenario) }
  }

  private static func run<Scenario: LoadScenario>(
    _ options: BenchOptions, settings: [String], scenario: (Load) -> Scenario
  ) throws -> BenchRun {
    let loop = try Loop()
    defer {
      // Runs until the closed handles are gone.
      while loop.liveHandles > 0 { loop.runOnce() }
    }
    if let place = options.server { return try run(at: place, pid: options.pid, options, on: loop, scenario) }
    let server = try ServerUnderTest(on: loop, settings: settings)
    defer { server.stop() }
    guard let address = server.address else { throw BenchFailure("the server has ended") }
    return try run(at: address.place, pid: address.pid, options, on: loop, scenario)
  }

  private static func run<Scenario: LoadScenario>(
    at place: Endpoint, pid: Int32?, _ options: BenchOptions, on loop: Loop, _ scenario: (Load) -> Scenario
  ) throws -> BenchRun {
    let clock = pid.map { ProcessorClock(process: $0) }
    if let core = options.serverCore { try clock?.pin(to: core) }
    let load = Load(to: place, of: clock, options: options, on: loop)
    let scenario = scenario(load)
    let limit = FileLimit.raised(forConnections: scenario.connections)
    guard scenario.connections <= limit.room else {
      throw BenchFailure(
        "\(scenario.connections) connections need more open files; raise the limit: ulimit -n "
          + "\(scenario.connections + FileLimit.reserve)")
    }
    return try load.run { try scenario.start() }
  }
}

/// What a load does.
protocol LoadScenario {
  /// Connections that it needs.
  var connections: Int { get }
  /// Opens the connections. The load begins once they have done what they have to do first.
  func start() throws
}
