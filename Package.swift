// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  // Here and not on the command line, where it would hold for the dependencies too.
  .treatAllWarnings(as: .error),
]

// What is not on the way of a message is made small in a release: build_static in Scripts/setup asks for it. Elsewhere it is
// left out, because nobody could depend on a package with unsafe flags.
let small =
  settings
  + (Context.environment["BATON_SMALL"] == nil ? [] : [.unsafeFlags(["-Osize"], .when(configuration: .release))])

let package = Package(
  name: "baton",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "baton", targets: ["baton"]),
    .library(name: "BatonClient", targets: ["BatonClient"]),
  ],
  dependencies: [
    // Pinned exactly: Package.resolved is not committed.
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CUV",
      pkgConfig: "libuv",
      providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    // Child processes, too: swift-subprocess 1.0.2 leaves behind what outlives the first process of its group.
    .target(name: "UV", dependencies: ["CUV"], swiftSettings: settings),
    .systemLibrary(
      name: "CYAML",
      pkgConfig: "yaml-0.1",
      providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    .systemLibrary(
      name: "COpenSSL",
      pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    // libcurl, which is opened at run time: only its headers are needed to build.
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    // Posting to web services; nothing else knows libcurl.
    .target(name: "Curl", dependencies: ["CCurl"], swiftSettings: small),
    // C: pure functions over bytes, nothing else.
    .target(name: "CScan"),
    // The files of the console, which are a part of the program: C's #embed brings them in.
    .target(name: "CConsole", exclude: ["files"]),
    // What lasts, as router, keeper and store hand it on: values, and nothing else. It depends on nothing.
    .target(name: "BatonLasting", swiftSettings: settings),
    .target(name: "BatonCore", dependencies: ["BatonLasting", "CScan"], swiftSettings: settings),
    // Requests of HTTP/1.1 and frames of WebSocket, read strictly: bytes in, events out. It depends on nothing.
    .target(name: "HTTP", swiftSettings: settings),
    // What it reads, as lines: shared by tests, and by what fuzzes it.
    .target(name: "HTTPKit", dependencies: ["HTTP"], path: "Tests/HTTP/Kit", swiftSettings: settings),
    .executableTarget(
      name: "baton-http-echo", dependencies: ["HTTP", "HTTPKit", "UV"], path: "Tests/HTTP/Echo", swiftSettings: settings
    ),
    .testTarget(
      name: "HTTPTests", dependencies: ["HTTP", "HTTPKit"], exclude: ["requests.txt"], swiftSettings: settings),
    // What proxies say of their clients: the PROXY protocol and headers of HTTP, read strictly. It depends on nothing.
    .target(name: "Proxies", swiftSettings: small),
    .testTarget(name: "ProxiesTests", dependencies: ["Proxies", "WorldKit"], swiftSettings: settings),
    // Durable messages: what is written, tried and told, and when. It knows nothing but values.
    .target(name: "BatonKeeper", dependencies: ["BatonLasting"], swiftSettings: settings),
    // Between the core, the keeper and a store, once in each turn; it knows no disk and no clock.
    .target(name: "BatonDurable", dependencies: ["BatonCore", "BatonKeeper", "BatonLasting"], swiftSettings: settings),
    .executableTarget(
      name: "baton-keep",
      dependencies: [
        "BatonCore", "BatonLasting", "BatonLog", "BatonStore", "DoorKit", "LogKit", "WorldCommand", "WorldKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/KeeperSimulator", swiftSettings: settings),
    .testTarget(
      name: "BatonKeeperTests", dependencies: ["BatonCore", "BatonDurable", "BatonKeeper", "BatonLasting"],
      swiftSettings: settings),
    // What the keeper has written, in a file; nothing else knows SQLite.
    .target(name: "BatonStore", dependencies: ["BatonLasting", "CSQLite", "UV"], swiftSettings: settings),
    .testTarget(
      name: "BatonStoreTests", dependencies: ["BatonLasting", "BatonStore", "CSQLite"], swiftSettings: settings),
    // A disk under SQLite that fails, forgets and tears, and memory that is missing.
    .target(
      name: "CFaultyDisk", path: "Tests/StoreFaults/Disk", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "baton-store-faults",
      dependencies: [
        "BatonKeeper", "BatonLasting", "BatonStore", "CFaultyDisk", "UV", "WorldKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/StoreFaults/Program", swiftSettings: settings),
    // A line for each message that ended, on a thread of its own: written, signed, and read back.
    .target(
      name: "BatonRecord", dependencies: ["BatonCore", "BatonLasting", "COpenSSL", "UV"], swiftSettings: settings),
    .testTarget(
      name: "BatonRecordTests", dependencies: ["BatonCore", "BatonLasting", "BatonRecord", "DoorKit"],
      swiftSettings: settings),
    // OpenSSL with Swift's types; nothing else knows TLS.
    .target(name: "TLS", dependencies: ["COpenSSL"], swiftSettings: settings),
    // One client of NATS; nothing else knows its protocol.
    .target(name: "NATS", dependencies: ["TLS", "UV"], swiftSettings: small),
    .testTarget(name: "NATSTests", dependencies: ["NATS", "ProgramKit", "TLS", "UV"], swiftSettings: settings),
    // Who of several nodes leads: a value. It depends on nothing.
    .target(name: "Lease", swiftSettings: small),
    // What was accepted, in which order, for all nodes of a cluster, in front of the file of each: values.
    .target(name: "BatonLog", dependencies: ["BatonLasting", "BatonStore"], swiftSettings: small),
    // The stream of a log in memory; shared by what plays logs.
    .target(name: "LogKit", dependencies: ["BatonLog"], path: "Tests/LogKit", swiftSettings: settings),
    .executableTarget(
      name: "baton-log",
      dependencies: [
        "BatonLasting", "BatonLog", "BatonStore", "LogKit", "WorldCommand", "WorldKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/LogSimulator", swiftSettings: settings),
    .executableTarget(
      name: "baton-lease",
      dependencies: [
        "Lease", "WorldCommand", "WorldKit", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/LeaseSimulator", swiftSettings: settings),
    // A node's part in its cluster, on a thread of its own; it decides nothing.
    .target(
      name: "BatonCluster", dependencies: ["BatonLasting", "BatonLog", "BatonStore", "Lease", "NATS", "UV"],
      swiftSettings: small),
    .target(
      name: "BatonServer",
      dependencies: [
        "BatonCore", "BatonDurable", "BatonLasting", "CConsole", "HTTP", "Proxies", "TLS", "UV",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    // The configuration file, read whole before anything is used; and tokens. It starts nothing and listens nowhere.
    .target(
      name: "BatonConfig", dependencies: ["BatonCore", "BatonRecord", "COpenSSL", "CYAML", "Proxies"],
      swiftSettings: small),
    // Tests for that file: plays cases to the core, with a clock that it moves. No sockets, no threads.
    .target(name: "BatonExpect", dependencies: ["BatonConfig", "BatonCore"], swiftSettings: small),
    // Rules about tool calls: read from a file, and what they say of a call. No sockets, no clock.
    .target(
      name: "BatonPolicy", dependencies: ["BatonConfig", "BatonCore", "BatonRecord"], swiftSettings: small),
    .testTarget(name: "BatonPolicyTests", dependencies: ["BatonConfig", "BatonPolicy"], swiftSettings: settings),
    .target(name: "BatonClient", dependencies: ["BatonCore", "TLS", "UV"], swiftSettings: small),
    .executableTarget(
      name: "baton",
      dependencies: [
        "BatonServer", "BatonClient", "BatonCluster", "BatonConfig", "BatonExpect", "BatonLasting", "BatonPolicy",
        "BatonRecord", "BatonStore", "Curl", "HTTP", "Lease", "NATS", "Proxies", "TLS", "UV",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: small),
    // What the cases of all clients are played to, for this one.
    .executableTarget(
      name: "baton-conformance-shim", dependencies: ["BatonClient"], path: "Clients/conformance/swift",
      swiftSettings: settings),
    .executableTarget(
      name: "baton-example-wordlist", dependencies: ["BatonClient"], path: "Clients/swift/Examples/wordlist",
      swiftSettings: settings),
    // The core behind its door, without sockets: what every test that drives it goes through.
    .target(
      name: "DoorKit", dependencies: ["BatonCore", "BatonDurable", "BatonLasting"], path: "Tests/DoorKit",
      swiftSettings: settings),
    // Plays dialogues of peers on a stage, of which the core is one; shared by tests.
    .target(
      name: "TranscriptPlayer", dependencies: ["BatonCore", "BatonLasting", "DoorKit"], path: "Tests/TranscriptPlayer",
      swiftSettings: settings),
    .testTarget(
      name: "BatonTranscriptTests",
      dependencies: ["BatonConfig", "BatonCore", "DoorKit", "ProgramKit", "TranscriptPlayer", "baton"],
      swiftSettings: settings),
    .target(
      name: "FuzzKit", dependencies: ["BatonCore", "CScan", "WorldKit"], path: "Tests/Fuzz/Kit", swiftSettings: settings
    ),
    // What answers conditions in the core beside what does in the model, for whoever makes up both.
    .target(
      name: "ConditionKit", dependencies: ["BatonCore", "BatonModel"], path: "Tests/Fuzz/ConditionKit",
      swiftSettings: settings),
    .executableTarget(
      name: "baton-fuzz",
      dependencies: [
        "BatonConfig", "BatonCore", "BatonModel", "ConditionKit", "FuzzKit", "ProgramKit", "TLS", "TranscriptPlayer",
        "UV",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Fuzz/Program", swiftSettings: settings),
    // What all random worlds are made with: luck, what peers ask, how they read lines, and alarms.
    .target(name: "WorldKit", path: "Tests/WorldKit", swiftSettings: settings),
    // The command of the simulators whose worlds are made from their seeds alone.
    .target(
      name: "WorldCommand",
      dependencies: ["WorldKit", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Tests/WorldCommand", swiftSettings: settings),
    .executableTarget(
      name: "baton-simulate",
      dependencies: [
        "BatonCore", "BatonLasting", "DoorKit", "WorldKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Simulator", swiftSettings: settings),
    // The contract once more, written for clarity. The compiler keeps it apart from the core: it knows what peers ask, and
    // no more.
    .target(name: "BatonModel", dependencies: ["WorldKit"], path: "Tests/Model/Contract", swiftSettings: settings),
    .executableTarget(
      name: "baton-model",
      dependencies: [
        "BatonCore", "BatonModel", "DoorKit", "WorldKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Model/Comparison", swiftSettings: settings),
    // Takes the tour of the README with netcats, and holds the pages against files and settings.
    .testTarget(
      name: "BatonTourTests", dependencies: ["BatonCore", "ProgramKit", "baton"], swiftSettings: settings),
    .testTarget(
      name: "BatonCoreTests",
      dependencies: ["BatonCore", "BatonLasting", "CScan", "ConditionKit", "DoorKit", "FuzzKit", "WorldKit"],
      swiftSettings: settings),
    .testTarget(
      name: "BatonConfigTests", dependencies: ["BatonConfig", "BatonCore", "Proxies", "WorldKit"],
      swiftSettings: settings),
    .testTarget(
      name: "BatonExpectTests", dependencies: ["BatonConfig", "BatonCore", "BatonExpect"], exclude: ["junit.py"],
      swiftSettings: settings),
    // Depends on the program so that it is built before the tests start it.
    .testTarget(
      name: "BatonClientTests", dependencies: ["BatonClient", "ProgramKit", "UV", "baton"], swiftSettings: settings),
    .testTarget(
      name: "BatonServerTests",
      dependencies: ["BatonCore", "BatonServer", "DoorKit", "HTTP", "ProgramKit", "UV", "WorldKit", "baton"],
      swiftSettings: settings),
    // Both sides of TLS against each other, without sockets; OpenSSL itself, for what a good peer does not do.
    .testTarget(name: "TLSTests", dependencies: ["COpenSSL", "ProgramKit", "TLS"], swiftSettings: settings),
    // The program as a tool: what it prints, on terminals too.
    .testTarget(
      name: "BatonProgramTests",
      dependencies: ["ProgramKit", "BatonClient", "BatonCore", "BatonLasting", "BatonStore", "Curl", "baton"],
      swiftSettings: settings),
    // Starts the real program and other processes, and speaks with them; shared by tests.
    .target(name: "ProgramKit", dependencies: ["TLS"], path: "Tests/ProgramKit", swiftSettings: settings),
    .executableTarget(
      name: "baton-faults",
      dependencies: ["ProgramKit", "TLS", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Tests/Faults/Program", swiftSettings: settings),
  ]
)
