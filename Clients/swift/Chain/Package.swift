// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// A package of its own: who does not write `@Chain` neither resolves nor builds swift-syntax.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "baton-chain",
  platforms: [.macOS(.v15)],
  products: [.library(name: "BatonChain", targets: ["BatonChain"])],
  dependencies: [
    .package(name: "baton", path: "../../.."),
    .package(url: "https://github.com/swiftlang/swift-syntax", "603.0.0"..<"604.0.0"),
  ],
  targets: [
    // What runs within the compiler.
    .macro(
      name: "BatonChainMacros",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ],
      swiftSettings: settings),
    .target(
      name: "BatonChain",
      dependencies: ["BatonChainMacros", .product(name: "BatonClient", package: "baton")],
      swiftSettings: settings),
    .executableTarget(
      name: "door", dependencies: ["BatonChain"], path: "Examples/door", swiftSettings: settings),
    // Depends on the example so that it is built before a test starts it.
    .testTarget(
      name: "BatonChainTests",
      dependencies: [
        "BatonChain", "BatonChainMacros", "door",
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ],
      swiftSettings: settings),
  ]
)
