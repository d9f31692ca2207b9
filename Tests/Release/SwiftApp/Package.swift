// swift-tools-version: 6.2
import PackageDescription

// An app of somebody else, that has SwiftNIO beside Baton's library. The test says where both come from.
let client = Context.environment["BATON_CLIENT"] ?? ""
let version = Context.environment["BATON_VERSION"] ?? ""

let package = Package(
  name: "porter",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "file://\(client)/baton-client", from: Version(stringLiteral: version)),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
  ],
  targets: [
    .executableTarget(
      name: "porter",
      dependencies: [
        "UV",
        .product(name: "BatonClient", package: "baton-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    // A module of its own with a name that the server's sources have, too.
    .target(name: "UV"),
  ]
)
