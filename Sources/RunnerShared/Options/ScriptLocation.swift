/// A feature's script and its root, found from what a person types: a module name, or a path with or
/// without `.lua`, as the completion of a shell gives it.
///
/// | typed | script | root |
/// | --- | --- | --- |
/// | `shop.cart` | the module `shop.cart` | `scripts` |
/// | `scripts/shop/cart.lua`, `scripts/shop/cart` | that file | the nearest folder `scripts` around it |
/// | `shop/cart.lua`, `shop/cart` | `scripts/shop/cart.lua`, if the other does not exist | `scripts` |
/// | `elsewhere/shop/cart.lua` | that file | the nearest folder in which its requires are found, else its own |
package struct ScriptLocation {
  /// The module name or the path for ``ScriptHost/store(_:state:dependencies:limits:)``.
  package let feature: String
  package let root: String

  static let standardRoot = "scripts"

  /// - Parameter root: the root that a person named; nil for the one that fits.
  package init(_ typed: String, root: String?) {
    guard let path = ScriptLocation.file(typed) else {
      // The host reports that there is no such script; the root only has to exist.
      feature = typed
      self.root = root ?? (typed.hasSuffix(".lua") ? "." : Self.standardRoot)
      return
    }
    feature = path
    self.root = root ?? ScriptLocation.root(of: path)
  }

  /// The path of the script; nil if `typed` is a module name, or if there is no such file.
  private static func file(_ typed: String) -> String? {
    guard typed.hasSuffix(".lua") || typed.contains("/") else { return nil }
    let path = typed.hasSuffix(".lua") ? typed : typed + ".lua"
    return [path, Paths.join(standardRoot, path)].first { Paths.real($0) != nil }
  }

  private static func root(of path: String) -> String {
    let absolute = Paths.absolute(path)
    let folders = ancestors(of: absolute)
    if let named = folders.first(where: { $0.hasSuffix("/\(standardRoot)") }) { return named }
    let wanted = requires(of: absolute)
    let found = folders.first { folder in wanted.allSatisfy { has($0, in: folder) } }
    return found ?? folders.first ?? "/"
  }

  /// The folders around a file, nearest first.
  private static func ancestors(of path: String) -> [String] {
    var folders: [String] = []
    var rest = Paths.folder(of: path)
    while !rest.isEmpty {
      folders.append(rest)
      rest = Paths.folder(of: rest)
    }
    return folders
  }

  /// The modules that a script requires by name, without those of the library.
  private static func requires(of path: String) -> [String] {
    guard let bytes = try? WholeFile.read(path) else { return [] }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.matches(of: /require\s*\(?\s*["']([A-Za-z0-9_.\-]+)["']/).map { String($0.1) }
      .filter { $0 != "scripted" && !$0.hasPrefix("scripted.") }
  }

  private static func has(_ module: String, in folder: String) -> Bool {
    let file = Paths.join(folder, module.split(separator: ".").joined(separator: "/"))
    return Paths.real("\(file).lua") != nil || Paths.real("\(file)/init.lua") != nil
  }
}
