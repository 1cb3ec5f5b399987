// swift-tools-version: 6.1
import PackageDescription

// `make fuzz` builds it with libFuzzer and the coverage that guides it.
let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "ScriptedStore", path: "..", traits: [])],
  targets: [
    .systemLibrary(
      name: "CFuzzLua", pkgConfig: "lua5.4",
      providers: [.apt(["liblua5.4-dev"]), .brew(["lua"])]),
    .target(name: "CFuzz", dependencies: ["CFuzzLua"]),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "CFuzz",
        .product(name: "LuaBridge", package: "ScriptedStore"),
        .product(name: "ScriptedStore", package: "ScriptedStore"),
      ]),
  ]
)
