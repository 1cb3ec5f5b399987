/// A feature that the command line names by a module name or a file path.
struct FeatureArgument {
  let name: String
  let root: String

  init(_ name: String, root: String?) {
    self.name = name
    self.root = root ?? (name.hasSuffix(".lua") ? Self.folder(of: name) : "scripts")
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
