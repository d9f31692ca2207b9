internal import BatonLasting

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What NATS answers about a stream, as far as a node looks at it.
struct StreamAnswer: Decodable {
  struct Fault: Decodable {
    let code: Int?
    let errCode: Int?
    let description: String?

    enum CodingKeys: String, CodingKey {
      case code, description
      case errCode = "err_code"
    }

    /// Whether it is a matter of time: something is not available for now.
    var passes: Bool { code == 503 }
    /// There is no such stream; no such message; the stream is there already, with other limits.
    var isNoStream: Bool { errCode == 10059 }
    var isNoMessage: Bool { errCode == 10037 }
    var isThere: Bool { errCode == 10058 }
    /// NATS may not keep so many bytes.
    var lacksRoom: Bool { errCode == 10047 }
  }

  struct Message: Decodable {
    let seq: UInt64
    let data: Data?
  }

  struct State: Decodable {
    let messages: UInt64
    let firstSeq: UInt64
    let lastSeq: UInt64

    enum CodingKeys: String, CodingKey {
      case messages
      case firstSeq = "first_seq"
      case lastSeq = "last_seq"
    }
  }

  let error: Fault?
  let message: Message?
  let state: State?
  let config: StreamShape?
  /// Of a write: the number that it got.
  let seq: UInt64?

  /// Reads an answer; nil if it is none, or has numbers with which one cannot count. Whoever may publish for nodes can answer.
  static func read(_ json: [UInt8]) -> StreamAnswer? {
    guard let answer = JSONText.read(StreamAnswer.self, json),
      [answer.message?.seq, answer.state?.firstSeq, answer.state?.lastSeq, answer.seq].allSatisfy({
        ($0 ?? 0) <= LogPosition.mostSequence
      })
    else { return nil }
    return answer
  }
}

/// What a stream is like.
struct StreamShape: Codable, Equatable {
  var name: String
  var subjects: [String]?
  var storage: String
  var maxMessages: Int
  var maxBytes: Int?
  var discard: String
  var replicas: Int
  var deniesDelete: Bool?
  var isDirect: Bool?
  /// The number of its first message. A later stream of the name has later ones.
  var firstSequence: UInt64?

  enum CodingKeys: String, CodingKey {
    case name, subjects, storage, discard
    case maxMessages = "max_msgs"
    case maxBytes = "max_bytes"
    case replicas = "num_replicas"
    case deniesDelete = "deny_delete"
    case isDirect = "allow_direct"
    case firstSequence = "first_seq"
  }

  /// The lease's stream. `wall` is milliseconds since 1970.
  static func lease(of plan: ClusterPlan, replicas: Int, wall: Int64) -> StreamShape {
    StreamShape(
      name: plan.leaseStream, subjects: [plan.leaseSubject], storage: "file", maxMessages: 1, discard: "old",
      replicas: replicas, deniesDelete: true, isDirect: false, firstSequence: UInt64(max(1, wall)))
  }

  /// The log's stream: as long as so many bytes are, and without its oldest messages then.
  static func log(of plan: ClusterPlan, bytes: Int, replicas: Int, wall: Int64) -> StreamShape {
    StreamShape(
      name: plan.logStream, subjects: [plan.logSubject], storage: "file", maxMessages: -1, maxBytes: bytes,
      discard: "old", replicas: replicas, deniesDelete: true, isDirect: true, firstSequence: UInt64(max(1, wall)))
  }

  /// What is other than it should be, for people; none if all is right.
  func differences(from wanted: StreamShape) -> [String] {
    var found: [String] = []
    func look(_ what: String, _ is: String, _ should: String) {
      if `is` != should { found.append("the stream \(wanted.name) has \(what) \(`is`) in place of \(should)") }
    }
    look("storage", storage, wanted.storage)
    look("max_msgs", "\(maxMessages)", "\(wanted.maxMessages)")
    look("discard", discard, wanted.discard)
    look("num_replicas", "\(replicas)", "\(wanted.replicas)")
    look("allow_direct", "\(isDirect ?? false)", "\(wanted.isDirect ?? false)")
    if let bytes = wanted.maxBytes { look("max_bytes", "\(maxBytes ?? -1)", "\(bytes)") }
    if subjects != wanted.subjects { found.append("the stream \(wanted.name) has other subjects") }
    return found
  }
}
