import LuaBridge

/// The hosts that scripts may reach, parsed from the patterns that the host's author gives.
struct AllowedHosts: Sendable {
  private let patterns: [Pattern]

  /// Throws if a text is not a pattern.
  init(_ patterns: [String]) throws(ScriptError) {
    self.patterns = try patterns.map(Pattern.init)
  }

  func contain(_ target: Target) -> Bool { patterns.contains { $0.matches(target) } }
}

extension AllowedHosts {
  /// A pattern: `example.com`, `*.example.com` or `*`, followed by `:8080` or `:*` if the port is
  /// not that of the scheme.
  private struct Pattern: Sendable {
    enum Name {
      case any
      case below(String)
      case exactly(String)
    }

    enum Port {
      /// The default port of the URL's scheme.
      case usual
      case any
      case number(Int)
    }

    let name: Name
    let port: Port

    init(_ text: String) throws(ScriptError) {
      let lowercased = text.lowercased()
      guard !lowercased.contains("/") else {
        throw Pattern.error(text, "give the host alone, without scheme and path")
      }
      // The colons of an IPv6 address are inside its brackets.
      let afterAddress = lowercased.lastIndex(of: "]") ?? lowercased.startIndex
      var host = lowercased[...]
      if let colon = lowercased[afterAddress...].lastIndex(of: ":") {
        host = lowercased[..<colon]
        let digits = lowercased[lowercased.index(after: colon)...]
        if digits == "*" {
          port = .any
        } else if let number = Int(digits), (1...65535).contains(number) {
          port = .number(number)
        } else {
          throw Pattern.error(text, "'\(digits)' is no port")
        }
      } else {
        port = .usual
      }
      if host == "*" {
        name = .any
        return
      }
      let isBelow = host.hasPrefix("*.")
      guard let exact = Target.name(of: String(isBelow ? host.dropFirst(2) : host)) else {
        throw Pattern.error(
          text, "hosts are given as \"example.com\", \"*.example.com\" or \"[::1]:8080\"")
      }
      name = isBelow ? .below("." + exact) : .exactly(exact)
    }

    private static func error(_ text: String, _ problem: String) -> ScriptError {
      ScriptError("'\(text)' is no host that can be allowed: \(problem)")
    }

    func matches(_ target: Target) -> Bool {
      let isPort =
        switch port {
        case .usual: target.hasUsualPort
        case .any: true
        case .number(let number): target.port == number
        }
      guard isPort else { return false }
      return switch name {
      case .any: true
      case .below(let suffix): target.host.hasSuffix(suffix)
      case .exactly(let host): target.host == host
      }
    }
  }
}
