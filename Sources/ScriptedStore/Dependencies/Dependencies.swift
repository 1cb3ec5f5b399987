import Logging
import LuaBridge
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which value of each dependency the stores of a host get.
public enum DependencyContext: String, Sendable, Hashable, CaseIterable {
  case live
  /// The preview value if there is one, else the live one.
  case preview
  /// The test value. A dependency without one is unimplemented: its values can be read, but calling
  /// its functions raises.
  case test
}

/// The dependencies that a host offers to scripts, by name; as TCA's `DependencyValues`.
///
/// ```swift
/// var dependencies = Dependencies()
/// dependencies.register("numberFact", live: .client([
///   "fetch": .asyncFunction("number") { (number: Int) in try await facts.fetch(number) }
/// ]))
/// let host = try ScriptHost(root: "scripts", configuration: .init(dependencies: dependencies))
/// ```
public struct Dependencies: Sendable {
  typealias Registration = ContextValues<Dependency>

  private(set) var registrations: [String: Registration] = [:]
  /// The names of dependencies that another host offers. Features may declare them, and the overrides of a store are their values.
  /// What this host or a script offers under such a name comes first.
  package var standIns: Set<String> = []
  /// What to do about a name that another host offers, for the error about an unknown name; nil if that cannot be.
  package var standInRemedy: (@Sendable (_ name: String) -> String)?

  /// Creates the dependencies that every host offers: `date`, `uuid`, `random` and `log`. `clock`,
  /// `dismiss` and `isPresented` come with each store.
  public init() {
    register("date", live: .date)
    register("uuid", live: .uuid)
    register("random", live: .random)
    register("log", live: .log)
  }

  /// Offers a dependency as `deps.<name>`: `live`, or the value for another ``DependencyContext``. Members of `live` that
  /// another client does not name are the live ones in previews, and unimplemented in tests.
  /// A name that is registered again replaces the earlier one, also a built-in one. The functions
  /// of a `log` without a test value do nothing in tests.
  public mutating func register(
    _ name: String, live: Dependency, preview: Dependency? = nil, test: Dependency? = nil
  ) {
    registrations[name] = Registration(
      live: live, preview: preview, test: test ?? (name == "log" ? live.silent : nil))
  }

  /// The names of all dependencies, sorted.
  public var names: [String] { registrations.keys.sorted() }
}

/// What one dependency is in each ``DependencyContext``.
struct ContextValues<Content> {
  let live: Content
  let preview: Content?
  let test: Content?
}

extension ContextValues: Sendable where Content: Sendable {}

extension Dependency {
  /// `date.now()`: the seconds since 1970 in UTC, with a fraction.
  public static var date: Dependency {
    .client(["now": .function { Date().timeIntervalSince1970 }])
  }

  /// `date.now()`: always `seconds`, the seconds since 1970.
  public static func constantDate(_ seconds: Double) -> Dependency {
    .client(["now": .function { seconds }])
  }

  /// `uuid()`: a random UUID in upper case, `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
  public static var uuid: Dependency { .function { UUID().uuidString } }

  /// `uuid()`: counts up. `00000000-0000-0000-0000-000000000000`, then `…0001`, in hexadecimal
  /// digits.
  public static func incrementingUUID() -> Dependency {
    let next = Atomic<UInt64>(0)
    return .function { uuidText(next.wrappingAdd(1, ordering: .relaxed).oldValue) }
  }

  /// The UUID that ``incrementingUUID()`` makes of a number.
  static func uuidText(_ number: UInt64) -> String {
    let digits = number.hexadecimal.uppercased()
    return "00000000-0000-0000-\(digits.prefix(4))-\(digits.dropFirst(4))"
  }

  /// `random.integer(a, b)`, in a … b, and `random.number()`, in 0 ..< 1, from the system's
  /// generator.
  public static var random: Dependency { random(from: SystemRandomNumberGenerator()) }

  /// ``random`` with the same numbers for the same `seed`, on every machine (SplitMix64). All
  /// stores that have this dependency draw from one sequence.
  public static func random(seed: UInt64) -> Dependency { random(from: SplitMix64(state: seed)) }

  private static func random(
    from generator: some RandomNumberGenerator & Sendable
  ) -> Dependency {
    let generator = RandomNumbers(generator)
    return .client([
      "integer": .function("a", "b") { (a: Int64, b: Int64) in try generator.integer(a, b) },
      "number": .function { generator.number() },
    ])
  }

  /// `log.debug`, `info`, `warning` and `error(message, fields?)`, through swift-log. The label is
  /// `ScriptedStore.script`, and the fields are the metadata.
  public static var log: Dependency { log(to: Logger(label: "ScriptedStore.script")) }

  /// ``log`` through a logger of the host.
  public static func log(to logger: Logger) -> Dependency {
    func level(_ level: Logger.Level) -> Dependency {
      .function("message", "fields") { (message: Value, fields: [String: Value]?) in
        logger.log(
          level: level, "\(text(message))",
          metadata: fields.map { $0.mapValues { "\(text($0))" } })
      }
    }
    return .client([
      "debug": level(.debug), "info": level(.info), "warning": level(.warning),
      "error": level(.error),
    ])
  }

  /// The same functions without a body: they check their arguments and do nothing.
  fileprivate var silent: Dependency {
    switch kind {
    case .function(let signature, _): Dependency(.function(signature) { _ in nil })
    case .client(let members): Dependency(.client(members.mapValues(\.silent)))
    default: self
    }
  }

  /// A string as it is, any other value as JSON.
  private static func text(_ value: Value) -> String { value.string ?? value.json() }
}

/// A generator that several threads may use.
private final class RandomNumbers<Generator: RandomNumberGenerator & Sendable>: Sendable {
  private let generator: Mutex<Generator>

  init(_ generator: Generator) { self.generator = Mutex(generator) }

  func integer(_ a: Int64, _ b: Int64) throws -> Int64 {
    guard a <= b else { throw ScriptError("random.integer(\(a), \(b)): the interval is empty") }
    return generator.withLock { Int64.random(in: a...b, using: &$0) }
  }

  /// A number of 53 random bits in 0 ..< 1, so that all results are equally likely.
  func number() -> Double {
    generator.withLock { Double($0.next() >> 11) * 0x1p-53 }
  }
}

/// A generator that gives the same numbers for the same seed: SplitMix64 of Steele, Lea and Flood,
/// a counter and a chain of multiplications.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
