// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "client-benchmark",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "baton", path: "../../..")],
  targets: [
    .executableTarget(
      name: "library", dependencies: [.product(name: "BatonClient", package: "baton")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ])
