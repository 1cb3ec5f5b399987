/// The kind of the container without elements in an ``Tag/empty`` slot. Containers of all kinds are
/// equal.
@usableFromInline
package enum EmptyKind: UInt64, Sendable {
  /// A plain `{}`. Scripts may make it a list or an object by their first write. Encodes as `[]`.
  case table = 0
  /// Decoded from `{}`, or an object that lost its last key. Scripts may make it a list or an
  /// object by their first write. Encodes as `{}`.
  case formerObject = 1
  /// Made by `scripted.array {}`. Takes elements only. Encodes as `[]`.
  case pinnedArray = 2
  /// Made by `scripted.object {}`. Takes keys only. Encodes as `{}`.
  case pinnedObject = 3

  /// Whether the container encodes as `{}`.
  package var isObject: Bool { self == .formerObject || self == .pinnedObject }
}
