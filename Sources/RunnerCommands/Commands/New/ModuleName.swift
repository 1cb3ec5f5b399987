import ArgumentParser

/// A valid name for a new module.
struct ModuleName {
  let segments: [String]

  init(_ text: String) throws(ValidationError) {
    segments = text.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "/" }.map(
      String.init)
    if segments.count > 1, segments.last == "lua" {
      throw ValidationError("leave .lua off: runner new \(text.dropLast(4))")
    }
    for segment in segments {
      guard segment.first?.isLetter == true, segment.utf8.allSatisfy(Self.isAllowed) else {
        throw ValidationError(
          "'\(text)' is not a name for a module: letters, digits and _, as in todos or shop.cart")
      }
    }
    let last = segments.last ?? ""
    if last.hasSuffix("_test") || last.hasSuffix("_spec") {
      throw ValidationError(
        "a file with the name \(last) would be one of tests; the feature gets one")
    }
    if segments[0] == "scripted" {
      throw ValidationError("modules named scripted are the host's own")
    }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
    default: false
    }
  }

  /// The feature's name: `ShoppingCart` for `shop.shopping_cart`.
  var feature: String {
    (segments.last ?? "").split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }
      .joined()
  }

  var module: String { segments.joined(separator: ".") }
  var path: String { segments.joined(separator: "/") }
}
