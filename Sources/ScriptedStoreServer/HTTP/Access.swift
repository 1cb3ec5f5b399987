#if Server
import NIOHTTP1
import Platform
import ScriptedStore

/// Who may see the pages of a server.
///
/// 1. `Host` must be one of the server's own addresses. So a name that someone else resolves to
///    this machine (DNS rebinding) leads nowhere.
/// 2. The token in the printed address is exchanged for a cookie that scripts cannot read and other
///    sites do not send.
/// 3. A WebSocket is opened only by a page of this server: `Origin` must be the address in `Host`.
struct Access: Sendable {
  /// A part of the printed address; the secret.
  let token: String
  /// The hosts that requests may name, in lower case, with the port.
  private let hosts: Set<String>
  /// Whether any IP address is a host, because the server listens at all addresses of the machine.
  private let takesAddresses: Bool
  private let port: Int
  private let cookie: String
  /// The token in letters that an address and a cookie may have.
  private let encodedToken: String

  /// - Parameters:
  ///   - address: that at which the server listens.
  ///   - names: further hosts, as those of a proxy. One without a port may have any.
  init(token: String, address: String, port: Int, names: [String]) {
    self.token = token
    encodedToken = percentEncoded(token)
    self.port = port
    takesAddresses = address == "0.0.0.0" || address == "::"
    let local = ["localhost", "127.0.0.1", "[::1]", Access.inBrackets(address)]
    hosts = Set(
      local.map { "\($0):\(port)" } + (port == 80 ? local : []) + names.map { $0.lowercased() })
    // Cookies are not separated by ports.
    cookie = "scripted-store-\(port)"
  }

  /// The host of an address, with brackets around one of IPv6.
  static func inBrackets(_ address: String) -> String {
    address.contains(":") && !address.hasPrefix("[") ? "[\(address)]" : address.lowercased()
  }

  /// Whether the request names this server as its host.
  func takesHost(of head: HTTPRequestHead) -> Bool {
    let named = head.headers["host"]
    guard named.count == 1 else { return false }
    let host = named[0].lowercased()
    let name = Access.withoutPort(host)
    if hosts.contains(host) || hosts.contains(String(name)) { return true }
    return takesAddresses && host == "\(name):\(port)" && Access.isAddress(name)
  }

  /// Whether the request comes from a page of this server.
  func takesOrigin(of head: HTTPRequestHead) -> Bool {
    let (origins, hosts) = (head.headers["origin"], head.headers["host"])
    guard origins.count == 1, hosts.count == 1 else { return false }
    let (origin, host) = (origins[0].lowercased(), hosts[0].lowercased())
    return origin == "http://\(host)" || origin == "https://\(host)"
  }

  /// The name of the browser's session, if the request has a valid cookie.
  func session(of head: HTTPRequestHead) -> String? {
    for header in head.headers["cookie"] {
      for pair in header.split(separator: ";") {
        let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0] == cookie else { continue }
        let value = parts[1].split(separator: ".", maxSplits: 1)
        guard value.count == 2, !value[0].isEmpty, value[0].utf8.count <= 64,
          Access.areEqual(String(value[1]), encodedToken)
        else { continue }
        return String(value[0])
      }
    }
    return nil
  }

  /// The cookie for a session, as `Set-Cookie` has it. It lasts a year.
  func setCookie(for session: String) -> String {
    "\(cookie)=\(session).\(encodedToken); Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict"
  }

  /// Compares with the token in a time that does not depend on where the two differ.
  func isToken(_ text: String) -> Bool { Access.areEqual(text, token) }

  private static func areEqual(_ text: String, _ token: String) -> Bool {
    let (given, token) = (Array(text.utf8), Array(token.utf8))
    var difference = given.count ^ token.count
    for index in token.indices {
      difference |= Int(token[index] ^ (index < given.count ? given[index] : 0))
    }
    return difference == 0
  }

  private static func withoutPort(_ host: String) -> Substring {
    guard let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy(\.isNumber)
    else { return host[...] }
    return host[..<colon]
  }

  /// Whether it is a numeric address, which no name server has a say in.
  private static func isAddress(_ host: Substring) -> Bool {
    if host.hasPrefix("[") {
      return host.hasSuffix("]")
        && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}
#endif
