internal import CUV

/// Another program, started and watched by this one. It has no standard input, its standard output is a stream to be
/// read here, and its standard error is this program's own.
public final class ChildProcess: Handle {
  /// What the child writes to its standard output. Has its own life: whoever reads it closes it.
  public let output: Stream
  private var ended: (() -> Void)?

  /// Starts the program at `path`; `ended` is called once it is gone.
  public init(
    path: String, arguments: [String], on loop: Loop, ended: @escaping () -> Void
  ) throws(UVError) {
    output = try Stream(.unix, on: loop)
    self.ended = ended
    let stdout = output.stream
    var result: Int32 = 0
    // libuv knows the handle from here on, whether or not the program can be started: it is closed in either case.
    try super.init(UV_PROCESS, on: loop) { memory in
      result = spawn(loop.uv, memory.assumingMemoryBound(to: uv_process_t.self), path, [path] + arguments, stdout)
      return 0
    }
    guard result == 0 else {
      output.close()
      close()
      throw UVError(code: result)
    }
  }

  private var process: UnsafeMutablePointer<uv_process_t> { memory.assumingMemoryBound(to: uv_process_t.self) }

  /// The child's process number.
  public var pid: Int32 { uv_process_get_pid(process) }

  /// Sends the child a signal. One that is gone already is no error.
  public func kill(signal: Int32) { uv_process_kill(process, signal) }

  fileprivate func hasEnded() { ended?() }

  override func didClose() { ended = nil }
}

private func spawn(
  _ loop: UnsafeMutablePointer<uv_loop_t>, _ process: UnsafeMutablePointer<uv_process_t>, _ path: String,
  _ arguments: [String], _ output: UnsafeMutablePointer<uv_stream_t>
) -> Int32 {
  var words: [UnsafeMutablePointer<CChar>?] = arguments.map { copy($0) } + [nil]
  defer { for word in words { word?.deallocate() } }
  var streams = [uv_stdio_container_t](repeating: uv_stdio_container_t(), count: 3)
  streams[0].flags = UV_IGNORE
  streams[1].flags = uv_stdio_flags(UV_CREATE_PIPE.rawValue | UV_WRITABLE_PIPE.rawValue)
  streams[1].data.stream = output
  streams[2].flags = UV_INHERIT_FD
  streams[2].data.fd = 2
  return words.withUnsafeMutableBufferPointer { words in
    streams.withUnsafeMutableBufferPointer { streams in
      var options = uv_process_options_t()
      options.file = words.baseAddress?.pointee.map { UnsafePointer($0) }
      options.args = words.baseAddress
      options.stdio_count = 3
      options.stdio = streams.baseAddress
      options.exit_cb = { process, _, _ in
        withObject(process?.pointee.data, as: ChildProcess.self) { $0.hasEnded() }
      }
      return uv_spawn(loop, process, &options)
    }
  }
}

private func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
  let bytes = text.utf8CString
  let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
  for (at, byte) in bytes.enumerated() { (memory + at).initialize(to: byte) }
  return memory
}

/// The program that is running.
public enum Executable {
  /// Where its file is.
  public static func path() throws(UVError) -> String {
    var size = 4096
    var bytes = [CChar](repeating: 0, count: size)
    try UVError.check(uv_exepath(&bytes, &size))
    return String(decoding: bytes.prefix(size).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
