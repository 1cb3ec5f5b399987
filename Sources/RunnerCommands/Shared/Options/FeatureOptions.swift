import ArgumentParser

/// The arguments that select a feature.
struct FeatureOptions: ParsableArguments {
  @Argument(help: "A module name under the root (todos, shop.cart), or the path of its file.")
  var feature: String

  @Option(
    help: """
      The folder that `require` is confined to. (default: scripts; for a path, the nearest folder \
      scripts around it, or the one in which its requires are found)
      """)
  var root: String?

  /// The feature's script and root. Reads the script if its root has to be found.
  var location: ScriptLocation { ScriptLocation(feature, root: root) }
}
