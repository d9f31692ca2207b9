internal import CUV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Another program that this program starts and watches. Its standard output is a stream that is read here. Its input
/// and errors may be streams, too.
public final class ChildProcess: Handle {
  /// What to start, and how.
  public struct Plan: Sendable {
    /// The program: a path, or a name that is searched in `PATH`.
    public var path: String
    /// The arguments after its name.
    public var arguments: [String]
    /// `NAME=value`; nil: the environment of this program.
    public var environment: [String]?
    /// Whether its standard input is a stream that is written here; otherwise it has none.
    public var hasInput = false
    /// Whether its standard error is a stream that is read here; otherwise it is this program's standard error.
    public var hasErrors = false
    /// Whether it has its own session: no terminal reaches it, and it can be ended with all of its group.
    public var isApart = false
    /// What the child has as its descriptor `ChildFile.childsNumber`.
    public var file: ChildFile?

    /// The program with its arguments.
    public init(path: String, arguments: [String]) {
      self.path = path
      self.arguments = arguments
    }
  }

  /// How a process ended.
  public enum Ending: Sendable, Hashable {
    /// By itself, with this exit code.
    case exited(Int)
    /// By this signal.
    case killed(Int32)
  }

  /// What the child writes to its standard output. The user of the streams must close them.
  public let output: Stream
  /// What goes to its standard input.
  public let input: Stream?
  /// What it writes to its standard error.
  public let errors: Stream?
  private var ended: ((Ending) -> Void)?

  /// Starts the program; `ended` is called when it has ended.
  public init(_ plan: Plan, on loop: Loop, ended: @escaping (Ending) -> Void) throws(UVError) {
    let input = plan.hasInput ? try ChildPipe(.toChild, on: loop) : nil
    let output = try ChildPipe(.fromChild, on: loop)
    let errors = plan.hasErrors ? try ChildPipe(.fromChild, on: loop) : nil
    (self.input, self.output, self.errors) = (input?.take(), output.take(), errors?.take())
    self.ended = ended
    let descriptors =
      [input?.childsEnd, output.childsEnd, errors?.childsEnd ?? 2] + (plan.file.map { [$0.number] } ?? [])
    var result: Int32 = 0
    // From here on libuv knows the handle, even if the program cannot be started. It is closed in either case.
    try super.init(UV_PROCESS, on: loop) { memory in
      result = spawn(plan, descriptors, loop.uv, memory.assumingMemoryBound(to: uv_process_t.self))
      return 0
    }
    guard result == 0 else {
      for stream in [self.input, self.output, self.errors] { stream?.close() }
      close()
      throw UVError(code: result)
    }
  }

  private var process: UnsafeMutablePointer<uv_process_t> { memory.assumingMemoryBound(to: uv_process_t.self) }

  /// The child's process number.
  public var pid: Int32 { uv_process_get_pid(process) }

  /// Sends the child a signal. It is no error if the child has ended.
  public func kill(signal: Int32) { uv_process_kill(process, signal) }

  /// Sends a signal to a child with its own session and to all of its group.
  public func killGroup(signal: Int32) { uv_kill(-pid, signal) }

  /// Whether a process is left in the group of a child with its own session.
  public var hasGroup: Bool { uv_kill(-pid, 0) == 0 }

  fileprivate func hasEnded(_ ending: Ending) { ended?(ending) }

  override func didClose() { ended = nil }
}

private func spawn(
  _ plan: ChildProcess.Plan, _ descriptors: [Int32?], _ loop: UnsafeMutablePointer<uv_loop_t>,
  _ process: UnsafeMutablePointer<uv_process_t>
) -> Int32 {
  var words: [UnsafeMutablePointer<CChar>?] = ([plan.path] + plan.arguments).map { copy($0) } + [nil]
  var variables: [UnsafeMutablePointer<CChar>?] = (plan.environment ?? []).map { copy($0) } + [nil]
  defer { for word in words + variables { word?.deallocate() } }
  var streams = descriptors.map { descriptor in
    var stream = uv_stdio_container_t()
    stream.flags = descriptor == nil ? UV_IGNORE : UV_INHERIT_FD
    if let descriptor { stream.data.fd = descriptor }
    return stream
  }
  return words.withUnsafeMutableBufferPointer { words in
    variables.withUnsafeMutableBufferPointer { variables in
      streams.withUnsafeMutableBufferPointer { streams in
        var options = uv_process_options_t()
        options.file = words.baseAddress?.pointee.map { UnsafePointer($0) }
        options.args = words.baseAddress
        if plan.environment != nil { options.env = variables.baseAddress }
        if plan.isApart { options.flags = UInt32(UV_PROCESS_DETACHED.rawValue) }
        options.stdio_count = Int32(streams.count)
        options.stdio = streams.baseAddress
        options.exit_cb = { process, code, signal in
          withObject(process?.pointee.data, as: ChildProcess.self) {
            $0.hasEnded(signal == 0 ? .exited(Int(code)) : .killed(signal))
          }
        }
        return uv_spawn(loop, process, &options)
      }
    }
  }
}

private func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
  let bytes = text.utf8CString
  let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
  for (at, byte) in bytes.enumerated() { (memory + at).initialize(to: byte) }
  return memory
}

/// This program's file and environment.
public enum Executable {
  /// The path of its file.
  public static func path() throws(UVError) -> String {
    var size = 4096
    var bytes = [CChar](repeating: 0, count: size)
    try UVError.check(uv_exepath(&bytes, &size))
    return String(decoding: bytes.prefix(size).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Why the program of that name, a path or a word that is searched in `PATH`, cannot be run; nil if nothing is wrong
  /// that can be seen before.
  public static func complaint(about name: String) -> String? {
    if name.contains("/") { return complaint(aboutFile: name) }
    let places = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    let files: [String] = places.split(separator: ":").map { place in "\(place)/\(name)" }.filter {
      access($0, F_OK) == 0
    }
    guard !name.isEmpty, let first = files.first else { return "there is no program \"\(name)\" in PATH" }
    return files.contains { complaint(aboutFile: $0) == nil } ? nil : complaint(aboutFile: first)
  }

  private static func complaint(aboutFile path: String) -> String? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return "there is no program \"\(path)\"" }
    guard facts.st_mode & S_IFMT != S_IFDIR else { return "\"\(path)\" is a folder, and no program" }
    guard access(path, X_OK) == 0 else {
      return "\"\(path)\" is there, but may not be run; if it is a program: chmod +x \(path)"
    }
    guard let line = firstLine(ofScript: path) else { return nil }
    if line.utf8.last == UInt8(ascii: "\r") {
      return "\"\(path)\" cannot be run: its lines end with CR LF, as on Windows, and the system takes the CR for a "
        + "part of the interpreter's name; end them with LF alone: dos2unix \(path)"
    }
    guard let interpreter = line.split(separator: " ").first, access(String(interpreter), X_OK) != 0 else { return nil }
    return "\"\(path)\" cannot be run: its first line names \(interpreter), which is not there or may not be run"
  }

  /// What the first line of a script says after `#!`; nil if the file is no script.
  private static func firstLine(ofScript path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = fread(&bytes, 1, bytes.count, file)
    guard bytes.prefix(count).starts(with: [UInt8(ascii: "#"), UInt8(ascii: "!")]) else { return nil }
    return String(decoding: bytes[2..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// Its environment, in no order.
  public static func environment() throws(UVError) -> [(name: String, value: String)] {
    var items: UnsafeMutablePointer<uv_env_item_t>?
    var count: Int32 = 0
    try UVError.check(uv_os_environ(&items, &count))
    defer { uv_os_free_environ(items, count) }
    return UnsafeBufferPointer(start: items, count: Int(count)).map {
      (String(cString: $0.name), String(cString: $0.value))
    }
  }
}
