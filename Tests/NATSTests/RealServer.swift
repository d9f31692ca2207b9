import Foundation
import NATS
import TLS
import Testing
import UV

/// A real NATS server with its own settings, and a client of it on a loop that the test runs.
final class RealServer {
  static let program: String? = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let own = root.appending(path: ".build/nats/bin/nats-server").path
    let all =
      [own] + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/nats-server" }
    return all.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  let folder = FileManager.default.temporaryDirectory.appending(path: "baton-nats-\(UUID().uuidString)")
  let port: UInt16
  private var process: Process?

  /// Starts it with these lines beside its port. `port`: that of an earlier one.
  init(_ lines: String = "", port: UInt16? = nil) throws {
    self.port = try port ?? Self.freePort()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let config = folder.appending(path: "nats.conf")
    try "listen: 127.0.0.1:\(self.port)\n\(lines)\n".write(to: config, atomically: false, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.program))
    process.arguments = ["-c", config.path]
    let told = Pipe()
    process.standardError = told
    try process.run()
    self.process = process
    var log = ""
    while !log.contains("Server is ready") {
      let data = told.fileHandleForReading.availableData
      try #require(!data.isEmpty, "nats-server ends: \(log)")
      log += String(decoding: data, as: UTF8.self)
    }
    told.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
  }

  func end() {
    process?.terminate()
    process?.waitUntilExit()
    process = nil
  }

  deinit {
    end()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func freePort() throws -> UInt16 {
    let loop = try Loop()
    let listener = try Listener.bound(to: try Address(numericHost: "127.0.0.1", port: 0), on: loop)
    defer {
      listener.close()
      loop.run()
    }
    return try #require(listener.address?.port)
  }

  /// A client, and what it is told.
  func client(
    _ credentials: NATSCredentials? = nil, tls: TLSContext? = nil, isEncrypted: Bool = false,
    host: String = "127.0.0.1",
    subjects: [String] = []
  ) throws -> RealClient {
    try RealClient(
      NATSPlan(
        places: [NATSPlace(host: host, port: port, isEncrypted: isEncrypted)], credentials: credentials, tls: tls,
        name: "test", version: "1"), subjects: subjects)
  }
}

/// A client on a loop of its own.
final class RealClient {
  let loop: Loop
  private(set) var client: NATSClient?
  private(set) var told: [String] = []
  private var alarm: UV.Timer?
  private var isLate = false

  init(_ plan: NATSPlan, subjects: [String]) throws {
    loop = try Loop()
    alarm = try UV.Timer(on: loop) { [unowned self] in isLate = true }
    client = try NATSClient(plan, inbox: "inbox.test", subjects: subjects, first: 0, on: loop) { [unowned self] news in
      switch news {
      case .connected(let info, _): told.append("connected \(info.version)")
      case .away(let why, _): told.append("away \(why)")
      case .refused(let what): told.append("refused \(what)")
      case .message(let message):
        told.append("\(message.subject) \(String(decoding: message.payload, as: UTF8.self))")
        if let reply = message.reply { client?.publish(Array("answer".utf8), to: reply) }
      }
    }
  }

  /// Runs until this is so.
  func run(until isSo: () -> Bool) throws {
    alarm?.set(microseconds: MonotonicClock.microseconds + 30_000_000)
    while !isSo() {
      try #require(!isLate, "it does not come: \(told)")
      loop.runOnce()
    }
  }

  func hears(_ part: String) throws { try run { told.contains { $0.contains(part) } } }

  deinit {
    client?.close()
    alarm?.close()
    loop.run()
  }
}
