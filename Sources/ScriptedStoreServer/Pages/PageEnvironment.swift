import Platform
import ScriptView

/// What views find in their `env`, as a page says it.
///
/// Pages of one environment share a screen, so only what views know of is taken.
struct PageEnvironment: Hashable, Sendable {
  private(set) var width = "regular"
  private(set) var colorScheme = "light"
  private(set) var locale = "en"

  init() {}

  /// Takes what is valid of some keys and values; all else stays as it is.
  mutating func take(_ key: String, _ value: String) {
    switch key {
    case "width" where ["compact", "regular"].contains(value): width = value
    case "colorScheme" where ["light", "dark"].contains(value): colorScheme = value
    case "locale" where 1...35 ~= value.utf8.count:
      let isLocale = value.utf8.allSatisfy {
        $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-")
      }
      if isLocale { locale = value }
    default: break
    }
  }

  var value: Value.Object {
    [
      "platform": "web", "width": .string(width), "colorScheme": .string(colorScheme),
      "locale": .string(locale),
    ]
  }
}

/// What a page asks for when it connects: the query of `/live`.
struct PageRequest: Sendable {
  private(set) var environment = PageEnvironment()
  /// The name that the server has given it before.
  private(set) var page: String?
  /// The version that it shows.
  private(set) var version: Int?
  /// The last of its events that it knows to be done.
  private(set) var seen: Int?

  init(query: Substring) {
    for (name, value) in queryFields(query) {
      switch name {
      case "page": page = value
      case "at": version = Int(value)
      case "seen": seen = Int(value)
      default: environment.take(name, value)
      }
    }
  }
}
