import ArgumentParser
import ScriptedStore

/// The arguments that select a feature.
package struct FeatureOptions: ParsableArguments {
  @Argument(help: "A module name under the root (todos, shop.cart), or the path of its file.")
  package var feature: String

  @Option(
    help: """
      The folder that `require` is confined to. (default: scripts; for a path, the nearest folder \
      scripts around it, or the one in which its requires are found)
      """)
  package var root: String?

  package init() {}

  /// The feature's script and root. Reads the script if its root has to be found.
  package var location: ScriptLocation { ScriptLocation(feature, root: root) }

  /// Prints why the feature has no screen, and throws the exit status for it, if it has none.
  package func requireView(of store: Store, _ host: ScriptHost) throws {
    guard !store.hasView else { return }
    let tree = try exitingOnScriptError { try host.tree(of: location.feature) }
    throw fail(.noInput, "\(MissingView(tree))")
  }
}
