/// What the record is told of a walk beside its result: the steps with who served them, what handlers said, and what they
/// made of the payload. It is a part of the walk's trace, and counts for its sender like that.
struct RecordedWay: ~Copyable {
  /// Whether the walk is recorded at all; and whether the record has it already.
  private(set) var isOn = false
  var isNoted = false
  /// Which of the operator's files was in force when it began.
  private(set) var file = 0
  /// The identity of its sender; empty if it has none.
  private(set) var identity = OwnedBytes()
  private(set) var door = PeerDoor.lines
  /// Entries of JSON, joined by commas.
  private(set) var steps = OwnedBytes()
  private(set) var said = OwnedBytes()
  /// As `RecordedEnd.Part.rewritten` has it.
  private(set) var rewritten = OwnedBytes()
  private(set) var count = 0
  /// Whether a step was left out.
  private(set) var isTruncated = false

  /// The most steps that a line has.
  private static let most = 64

  mutating func begin(file: Int, identity: String, door: PeerDoor) {
    (isOn, self.file, self.door) = (true, file, door)
    if !identity.isEmpty { self.identity = OwnedBytes(identity) }
  }

  /// The bytes that are kept of it beyond its steps.
  var bytes: Int { said.count + rewritten.count }

  mutating func truncate() { isTruncated = true }

  /// Adds a step. Returns whether there was room.
  mutating func add(step: UnsafeRawBufferPointer) -> Bool {
    guard count < RecordedWay.most else {
      isTruncated = true
      return false
    }
    if count > 0 { steps.append([UInt8(ascii: ",")]) }
    steps.append(step)
    count += 1
    return true
  }

  /// What the handler of the last step said.
  mutating func add(said entry: UnsafeRawBufferPointer) {
    if !said.isEmpty { said.append([UInt8(ascii: ",")]) }
    said.append(entry)
  }

  /// What the handler of the last step made of the payload; nil: there is no room for it.
  mutating func add(payload: UnsafeRawBufferPointer?) {
    let step = UInt32(clamping: count - 1)
    let bytes = payload.map { UInt32(clamping: $0.count) } ?? .max
    withUnsafeBytes(of: (step.littleEndian, bytes.littleEndian)) { rewritten.append($0) }
    if let payload { rewritten.append(payload) }
  }
}
