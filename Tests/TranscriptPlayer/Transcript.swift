package import BatonCore

/// A dialogue between peers and the server that proves one rule of the contract. It holds the head and the steps, and
/// knows nothing of how they are played.
package struct Transcript: Sendable {
  /// The path of its file, as a reader would look it up.
  package let path: String
  /// The rule that it proves: the section of the contract and a few words. Empty for a block on a page.
  package let rule: String
  /// The settings of the server that differ from the contract's defaults, as the head writes them.
  package let settings: [Setting]
  /// The guarded places, which are there from the start, empty and required; each is `CHAIN/HANDLER`.
  package let guards: [String]
  /// What the configuration file says at the start.
  package let file: File
  /// Whether the server has a store.
  package let hasStore: Bool
  /// How the server is a node of a cluster; nil: it is none.
  package let node: NodeState?
  /// Whether the server records all messages, strictly.
  package let hasRecord: Bool
  /// True if only the core can play it, because what happens depends on how much the network takes, or because a peer
  /// comes from elsewhere.
  package let isForTheCore: Bool
  /// What happens, in order.
  package let steps: [Step]

  /// Whether the server has a file, from the start or later.
  package var hasFile: Bool {
    file != File()
      || steps.contains { step in
        switch step.action {
        case .serverReloads, .serverGets, .serverGetsMistake: true
        default: false
        }
      }
  }

  /// How the node `a` is, beside `b` and `c`. `c` does not answer.
  package enum NodeState: String, Sendable {
    /// It leads, and `b` could.
    case leads
    /// It leads, and nobody else could.
    case alone
    /// It is a spare in step, and `b` leads.
    case spare
    /// It is a spare, and nobody leads.
    case waits
  }

  /// One `name=value` of the head.
  package struct Setting: Sendable, Equatable {
    /// The setting's name as `baton serve --set` takes it.
    package let name: String
    /// Its value, a whole number.
    package let value: Int

    /// Reads `name=value`; nil if the text is something else.
    init?(_ text: String) {
      let parts = text.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let value = Int(parts[1]) else { return nil }
      name = String(parts[0])
      self.value = value
    }
  }

  /// One line of the dialogue.
  package struct Step: Sendable {
    /// The line of the file, from 1.
    package let line: Int
    /// What happens there.
    package let action: Action

    /// Whether the configuration file gets a setting. Then those of the head are in the file, for options would win over it.
    var changesSettings: Bool {
      switch action {
      case .serverReloads(let changes), .serverGets(let changes):
        changes.contains { if case .setting = $0 { true } else { false } }
      default: false
      }
    }
  }

  /// What can happen in a dialogue.
  package enum Action: Sendable {
    /// A peer does something, or something is done to it.
    case peer(String, PeerAction)
    /// This many milliseconds pass.
    case clock(milliseconds: Int)
    /// The server is told to drain, as by SIGTERM.
    case serverDrains
    /// The server has ended by itself.
    case serverEnds
    /// The server has ended without a word, and starts again with what its store has. All connections are lost.
    case serverStartsAgain
    /// What happens to what the store is given from now on.
    case store(StoreState)
    /// The configuration file becomes different, and is read anew.
    case serverReloads([Change])
    /// The configuration file becomes different. It is not read by itself.
    case serverGets([Change])
    /// A mistake comes into the configuration file. It is not read by itself. The next reload without one mends it.
    case serverGetsMistake
  }

  /// What a store, or a record, does with what it is given.
  package enum StoreState: String, Sendable, CaseIterable {
    /// Its disk does not take it.
    case fails
    /// It is not answered, and is lost if the server ends.
    case holds
    /// It is on disk at once, also what was held.
    case works = "works again"
    /// Its disk has less than `min_free_bytes`, until it works again.
    case lacksRoom = "has no room"
    /// What is on disk already cannot be read any more.
    case damaged = "is damaged"
    /// Its disk gives nothing of what is on it, until it works again.
    case unreadable = "cannot be read"
    /// The record is not answered; its disk does not take lines; it does, also what was held.
    case recordHolds = "record holds"
    case recordFails = "record fails"
    case recordWorks = "record works again"
  }

  /// What can happen between one peer and the server.
  package enum PeerAction: Sendable {
    /// It connects. Without this it does so at its first mention.
    case connects(PeerFacts)
    /// It sends these bytes.
    case sends([UInt8])
    /// The next line that it gets.
    case gets(LinePattern)
    /// It has got nothing except what the dialogue has told.
    case nothing
    /// It shuts down its writing side and goes on reading.
    case halfCloses
    /// It closes its socket, like a program that ends.
    case closes
    /// Its connection breaks without an end: a reset.
    case dies
    /// It reads the end of the stream: the server has shut down its writing side or closed.
    case isClosed
    /// The server keeps nothing of the connection any more: neither side is open.
    case isGone
    /// It stops reading: what is sent to it stays in the network.
    case stopsReading
    /// It reads again.
    case readsOn
  }
}

/// What went wrong, and at which line of which file.
package struct TranscriptError: Error, CustomStringConvertible {
  /// The transcript's file.
  package let path: String
  /// The line in it, from 1.
  package let line: Int
  /// What was expected and what came.
  package let message: String

  /// `file:line: message`, as editors understand it.
  package var description: String { "\(path):\(line): \(message)" }
}
