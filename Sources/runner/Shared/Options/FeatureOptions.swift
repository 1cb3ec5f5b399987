import ArgumentParser

/// The arguments that select a feature.
struct FeatureOptions: ParsableArguments {
  @Argument(help: "A module name under the root (todos, shop.cart), or the path of a .lua file.")
  var feature: String

  @Option(
    help: """
      The folder that `require` is confined to. (default: scripts; for a .lua path, the folder \
      that it is in)
      """)
  var root: String?

  /// The folder of the scripts.
  var scriptRoot: String {
    if let root { return root }
    guard feature.hasSuffix(".lua") else { return "scripts" }
    guard let slash = feature.lastIndex(of: "/") else { return "." }
    return slash == feature.startIndex ? "/" : String(feature[..<slash])
  }
}
