import LuaBridge

/// A part of the state that a view in Swift reads. Each read is recorded, so that the view runs again only when
/// something that it has read has changed.
///
/// It is valid while the view runs; afterwards every read is null.
public struct ViewState {
  private let recorded: RecordedValue

  init(_ recorded: RecordedValue) { self.recorded = recorded }

  /// The value under a key of an object; null if there is none.
  public subscript(key: String) -> ViewState { ViewState(recorded.value(under: key)) }

  /// The element of a list at an index from 0; null if there is none.
  public subscript(index: Int) -> ViewState { ViewState(recorded.value(at: index)) }

  /// The number of elements of a list; 0 for other values.
  public var count: Int { recorded.count }

  /// The whole value. If it is a container, any change in it counts.
  public var value: Value { recorded.whole }

  public var string: String? { value.string }
  public var int: Int? { value.int }
  public var double: Double? { value.double }
  public var bool: Bool? { value.bool }
  public var isNull: Bool { recorded.isContainer ? false : value.isNull }
}
