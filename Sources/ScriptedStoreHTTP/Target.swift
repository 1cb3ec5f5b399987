import LuaBridge
import Platform

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The checked URL of a request.
///
/// The host that is compared with the allowed hosts is the host that the client connects to: both
/// come from the same parsed URL, and a host with percent-encoding is refused.
struct Target: Sendable {
  let url: URL
  /// Lower case, without a dot at the end; an IPv6 address is in brackets.
  let host: String
  let port: Int
  let isSecure: Bool

  var hasUsualPort: Bool { port == (isSecure ? 443 : 80) }

  /// The host as it is written in the list of allowed hosts: with the port, unless it is the
  /// scheme's.
  var hostAndPort: String { hasUsualPort ? host : "\(host):\(port)" }

  var text: String { url.absoluteString }

  init(_ text: String, query: [(name: String, value: String)] = []) throws(ScriptError) {
    guard var components = URLComponents(string: Target.escaped(text)) else {
      throw ScriptError("'\(text)' is not a URL")
    }
    // Fragments are not sent to servers.
    components.fragment = nil
    if !query.isEmpty {
      let pairs = query.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }
      let present = components.percentEncodedQuery.map { $0.isEmpty ? [] : [$0] } ?? []
      components.percentEncodedQuery = (present + pairs).joined(separator: "&")
    }
    guard let url = components.url else { throw ScriptError("'\(text)' is not a URL") }
    try self.init(url)
  }

  init(_ url: URL) throws(ScriptError) {
    let text = url.absoluteString
    switch url.scheme?.lowercased() {
    case "http": isSecure = false
    case "https": isSecure = true
    case nil: throw ScriptError("'\(text)' has no scheme; it must begin with https:// or http://")
    case let scheme?:
      throw ScriptError("'\(text)' has the scheme '\(scheme)'; http knows https and http")
    }
    guard url.user == nil, url.password == nil else {
      throw ScriptError(
        "a URL may not have a user or a password in it; send them as headers = { authorization = … }"
      )
    }
    let given = url.host(percentEncoded: true) ?? ""
    guard
      let host = Target.name(
        of: given.contains(":") && !given.hasPrefix("[") ? "[\(given)]" : given)
    else {
      throw ScriptError(
        "'\(text)' has no host that http can use (names are ASCII: letters, digits, '-', '.')")
    }
    let port = url.port ?? (isSecure ? 443 : 80)
    guard (1...65535).contains(port) else { throw ScriptError("'\(text)' has no valid port") }
    self.url = url
    self.host = host
    self.port = port
  }

  /// The target of a redirect: `location`, relative to this URL.
  func redirected(to location: String) throws(ScriptError) -> Target {
    guard let relative = URL(string: Target.escaped(location), relativeTo: url) else {
      throw ScriptError("'\(location)' is not a URL")
    }
    return try Target(relative.absoluteString)
  }

  /// A host name in the form in which it is compared; nil if it is not a valid one.
  static func name(of host: String) -> String? {
    var name = host.lowercased()
    if name.hasPrefix("["), name.hasSuffix("]"), name.count > 2 {
      let address = name.utf8.dropFirst().dropLast()
      return address.allSatisfy("0123456789abcdef:.".utf8.contains) ? name : nil
    }
    if name.hasSuffix(".") { name.removeLast() }
    let isName = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
    return isName && !name.isEmpty && !name.hasPrefix(".") ? name : nil
  }

  /// Encodes characters that a URL may not contain as `%XX`, as browsers do: spaces, and letters
  /// that are not ASCII.
  private static func escaped(_ text: String) -> String {
    percentEncoded(text) { byte in
      (0x21...0x7E).contains(byte) && !#""<>\^`{|}"#.utf8.contains(byte)
    }
  }
}
