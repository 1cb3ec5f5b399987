import ScriptValue

/// The name of a durable store: the module of its feature, and a key. As text `room/r17`.
public struct StoreName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// A module's name, as `room` or `games.chess`, or that of a reducer in ``HostConfiguration/reducers``.
  public let feature: String
  /// 1 to 128 characters of letters, digits, `_`, `-` and `.`. It is data, and never a path.
  public let key: String

  /// - Throws: ``JournalError`` with the code `name` if the key has other characters, is empty or is too long, or if the
  ///   feature is no name of a module.
  public init(feature: String, key: String) throws(JournalError) {
    guard (1...128).contains(key.utf8.count), key.utf8.allSatisfy(Self.isAllowed) else {
      throw JournalError(
        .name,
        """
        the key '\(VisibleText.text(of: String(key.prefix(140))))' of a durable store must have 1 to 128 characters: letters \
        of ASCII, digits, '_', '-' and '.'
        """)
    }
    guard (1...128).contains(feature.utf8.count), feature.utf8.allSatisfy(Self.isAllowed) else {
      throw JournalError(
        .name,
        """
        \(VisibleText.text(of: String(feature.prefix(140)))) is no name of a feature: a durable store is named by the module \
        of its feature, as `room`, without a folder and without `.lua`
        """)
    }
    (self.feature, self.key) = (feature, key)
  }

  /// Reads `room/r17`.
  package init(_ text: String) throws(JournalError) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw JournalError(
        .name,
        "\(VisibleText.text(of: text)) is no name of a durable store; write FEATURE/KEY, as room/r17"
      )
    }
    try self.init(feature: String(parts[0]), key: String(parts[1]))
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }

  public var description: String { "\(feature)/\(key)" }

  public static func < (one: StoreName, other: StoreName) -> Bool {
    (one.feature, one.key) < (other.feature, other.key)
  }
}

/// The proof that a record is in a journal: its number there, and the hash of the chain that ends with it.
public struct Receipt: Hashable, Sendable, CustomStringConvertible {
  /// The number of the record in its journal, from 1; 0 before the first record.
  public let seq: Int64
  /// The SHA-256 of the record and of the hash before it; zero before the first record.
  package let digest: SHA256.Digest

  package init(seq: Int64, _ digest: SHA256.Digest) { (self.seq, self.digest) = (seq, digest) }

  /// The receipt of a store that has no record yet.
  public static let none = Receipt(seq: 0, .zero)

  /// The hash in 64 hexadecimal digits; empty before the first record.
  public var hash: String { seq == 0 ? "" : digest.hex }

  /// For example `4711-9f86d081…`, with all digits.
  public var description: String { "\(seq)-\(hash)" }

  /// Reads what ``description`` writes. Nil for other text.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let seq = Int64(parts[0]), seq >= 0,
      let digest = seq == 0 ? .zero : SHA256.Digest(hex: String(parts[1]))
    else { return nil }
    self.init(seq: seq, digest)
    if description != text { return nil }
  }
}

/// Why a journal could not do what it was asked for.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// Another process has the journal.
    case inUse
    /// The file is no journal, or one of a newer version.
    case notAJournal
    /// A record or a snapshot is not what was written.
    case damaged
    /// The disk is full, or cannot be written.
    case notWritten
    /// It is not known whether the last commit was done. The journal is read-only until it is.
    case unknown
    /// A name, key or request id that no store can have.
    case name
    /// The journal lacks a record whose receipt the caller has: it went back in time.
    case wentBack
    /// An action, a state or a record that is too large.
    case tooLarge
    /// The store was removed, or the host was closed.
    case closed
    /// The store cannot take actions: its code does not load, a migration raised, or a newer version has made its state.
    case unusable
  }

  public let code: Code
  public let message: String

  package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  public var description: String { message }
}
