import Platform

extension ScriptRoot {
  /// The module whose name is nearest to a name that no module has; nil if none is near. Reads the
  /// folders on the way to it: in each, the entry with the segment's name counts, or else the
  /// nearest one.
  ///
  /// - Parameter provided: names of modules that are not files.
  func nearestModule(to name: String, provided: [String] = []) -> String? {
    if let nearest = Suggestion.nearest(to: name, in: provided) { return nearest }
    let segments = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var found: [String] = []
    for segment in segments {
      let folder = ([resolvedPath] + found).joined(separator: "/")
      let isLast = found.count == segments.count - 1
      let names = Self.entries(of: folder).compactMap { entry -> String? in
        if entry.hasSuffix(".lua") { return isLast ? String(entry.dropLast(4)) : nil }
        return entry.contains(".") ? nil : entry
      }
      guard
        let next = names.contains(segment) && !isLast
          ? segment : Suggestion.nearest(to: segment, in: names)
      else { return nil }
      found.append(next)
    }
    let nearest = found.joined(separator: ".")
    return nearest != name && (try? module(nearest)) != nil ? nearest : nil
  }

  private static func entries(of folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      // `d_name` is declared as an array that may be larger than the entry, so it is not copied.
      let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
      let name = UnsafeRawPointer(entry).advanced(by: offset)
      names.append(String(cString: name.assumingMemoryBound(to: CChar.self)))
    }
    return names
  }
}
