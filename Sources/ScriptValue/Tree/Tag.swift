/// The meaning of the eight bytes of a ``Slot``.
///
/// The C trampolines use the same raw values: never renumber them.
@usableFromInline
package enum Tag: UInt8, Sendable {
  case absent = 0
  case null = 1
  case boolean = 2
  case integer = 3
  case float = 4
  case string = 5
  case list = 6
  case object = 7
  case empty = 8
  case dictionary = 9

  /// Compares raw values, so that every comparison compiles to one integer comparison.
  @inlinable @inline(__always)
  package static func == (a: Tag, b: Tag) -> Bool { a.rawValue == b.rawValue }
}
