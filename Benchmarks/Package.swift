// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "ScriptedStore", path: "..", traits: ["Database", "Journal", "Server"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CFloorLua", pkgConfig: "lua5.4",
      providers: [.apt(["liblua5.4-dev"]), .brew(["lua"])]),
    .target(name: "CFloor", dependencies: ["CFloorLua"]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CFloor",
        .product(name: "LuaBridge", package: "ScriptedStore"),
        .product(name: "ScriptedStore", package: "ScriptedStore"),
        .product(name: "ScriptedStoreDatabase", package: "ScriptedStore"),
        .product(name: "ScriptedStoreFiles", package: "ScriptedStore"),
        .product(name: "ScriptedStoreJournal", package: "ScriptedStore"),
        .product(name: "ScriptedStoreServer", package: "ScriptedStore"),
        .product(name: "ScriptedStoreTerminal", package: "ScriptedStore"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ]
)
