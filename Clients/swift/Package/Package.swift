// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "baton-client",
  platforms: [.macOS(.v15)],
  products: [.library(name: "BatonClient", targets: ["BatonClient"])],
  targets: [
    .systemLibrary(
      name: "CBatonUV",
      pkgConfig: "libuv",
      providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    .systemLibrary(
      name: "CBatonOpenSSL",
      pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(name: "CBatonScan"),
    // The event loop.
    .target(name: "BatonUV", dependencies: ["CBatonUV"], swiftSettings: settings),
    // Encryption.
    .target(name: "BatonTLS", dependencies: ["CBatonOpenSSL"], swiftSettings: settings),
    // Lines of JSON, and topics.
    .target(name: "BatonLines", dependencies: ["CBatonScan"], swiftSettings: settings),
    .target(name: "BatonClient", dependencies: ["BatonLines", "BatonTLS", "BatonUV"], swiftSettings: settings),
  ]
)
