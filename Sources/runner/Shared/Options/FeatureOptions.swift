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

  var argument: FeatureArgument { FeatureArgument(feature, root: root) }
}
