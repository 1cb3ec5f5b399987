/// Which addresses a link or an image may have.
///
/// They come from states, so that anything may be in them. Only what cannot run code is let
/// through: the schemes `http`, `https` and `mailto`, and addresses without a scheme, which are
/// relative.
package enum SafeAddress {
  private static let schemes: Set<String> = ["http", "https", "mailto"]

  /// The address of a link; nil if it is none that is safe.
  package static func link(_ text: String) -> String? {
    // Browsers skip control characters and spaces, so that `java\nscript:` would be a scheme.
    guard !text.isEmpty, text.utf8.count <= limit,
      text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" })
    else { return nil }
    let scheme = text.unicodeScalars.prefix { !":/?#".unicodeScalars.contains($0) }
    guard scheme.endIndex < text.unicodeScalars.endIndex,
      text.unicodeScalars[scheme.endIndex] == ":"
    else {
      // `//host` takes the scheme of the page; it is no path of this host.
      return text.hasPrefix("//") ? nil : text
    }
    return schemes.contains(String(scheme).lowercased()) ? text : nil
  }

  /// The address of an image, which cannot be `mailto`.
  package static func image(_ text: String) -> String? {
    link(text).flatMap { $0.lowercased().hasPrefix("mailto:") ? nil : $0 }
  }

  /// What servers take at most.
  private static let limit = 8192
}
