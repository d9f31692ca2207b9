import Foundation

/// The library that stands between the program, libuv and OpenSSL. It is built from its source for each run of the tests.
struct Shim {
  private let directory: String
  private var library: String { directory + "/shim.so" }

  /// Makes the library.
  init(source: String) throws {
    directory = "/tmp/baton-faults-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/bin/sh")
    let command = #"""
      "${CC:-$(command -v cc || command -v clang)}" -O1 -Wall -Wextra -Werror -fPIC -shared -o "$1" "$2" \
        $(pkg-config --cflags libuv openssl) -ldl
      """#
    compiler.arguments = ["-c", command, "sh", library, source]
    try compiler.run()
    compiler.waitUntilExit()
    guard compiler.terminationStatus == 0 else { throw Failure("the shim cannot be made from \(source)") }
  }

  func remove() { try? FileManager.default.removeItem(atPath: directory) }

  /// A path that one run may use.
  func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// What the program must have in its environment, so that calls fail.
  func environment(failing: Faults, report: String) -> [String] {
    ["LD_PRELOAD=\(library)", "BATON_FAULT_REPORT=\(report)"] + failing.environment
  }
}

/// Which calls fail.
enum Faults: Sendable {
  /// The call of that number, counted from 1.
  case one(at: Int)
  /// All calls whose numbers are multiples of it, from a number on.
  case every(Int, from: Int)
  case none

  var environment: [String] {
    switch self {
    case .one(let number): ["BATON_FAULT_AT=\(number)"]
    case .every(let step, let first): ["BATON_FAULT_EVERY=\(step)", "BATON_FAULT_FROM=\(first)"]
    case .none: []
    }
  }
}

/// What the shim reports of a run.
struct ShimReport {
  /// The calls that failed, `call N: NAME: ERROR`.
  let failed: [Substring]
  /// How many calls were made, if the program ended by itself.
  let calls: Int?

  init(path: String) {
    let lines = ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
    failed = lines.filter { $0.hasPrefix("call ") }
    calls = lines.last { $0.hasPrefix("calls ") }.flatMap { Int($0.dropFirst("calls ".count)) }
  }
}
