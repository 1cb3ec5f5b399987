import LuaBridge

/// The stores of the elements of a list or an object, as they were when ``ObservableStore`` made this.
/// Each is made when it is asked for, O(log n).
public struct ObservableElements: RandomAccessCollection, Sendable {
  private enum Elements {
    case list(Value.List)
    case keys([String])
  }

  private let elements: Elements
  private let key: ValuePath
  private let parent: Store
  private let tree: ObservedTree
  private let action: String?
  private let field: String

  init(
    _ value: Value, of key: ValuePath, _ parent: Store, _ tree: ObservedTree, action: String?,
    field: String
  ) {
    elements =
      switch value {
      case .array(let list): .list(list)
      case .object(let object): .keys(Array(object.keys))
      default: .list([])
      }
    self.key = key
    self.parent = parent
    self.tree = tree
    self.action = action
    self.field = field
  }

  public var startIndex: Int { 0 }

  public var endIndex: Int {
    switch elements {
    case .list(let list): list.count
    case .keys(let keys): keys.count
    }
  }

  /// The store of the element at a zero-based index, which must be in range. Its `id` is the element's.
  public subscript(index: Int) -> ObservableStore {
    let id: Value =
      switch elements {
      case .list(let list): list[index][field]
      case .keys(let keys): .string(keys[index])
      }
    return ObservableStore(
      parent.scope(element: id, of: key, action: action, id: field), tree, id: id, hint: index)
  }
}
