import LuaBridge

/// A part of a state on the main actor. Reading it with one of the properties registers its path, and
/// no other: who tracks hears when that part changes.
@MainActor
public struct ObservedState {
  private let tree: ObservedTree
  private let node: ObservedTree.Node

  init(_ tree: ObservedTree, _ node: ObservedTree.Node) {
    self.tree = tree
    self.node = node
  }

  /// The value under a key of an object. Registers nothing. O(1) for a path that was read before.
  public subscript(key: String) -> ObservedState {
    ObservedState(tree, tree.child(of: node, under: key))
  }

  /// The element of a list at an index from 0. It follows the place and not the element; for that see
  /// ``ObservableStore/elements(_:action:id:)``. Registers nothing.
  public subscript(index: Int) -> ObservedState {
    ObservedState(tree, tree.child(of: node, at: index))
  }

  /// The whole value; null if there is none. If it is a container, any change in it counts.
  public var value: Value {
    node.content.didRead(.whole)
    return node.content.value
  }

  public var string: String? { value.string }
  public var int: Int? { value.int }
  public var double: Double? { value.double }
  public var bool: Bool? { value.bool }

  /// The number of elements of a list; 0 for other values. Only a change of that number counts.
  public var count: Int {
    node.content.didRead(.count)
    return node.content.count
  }

  /// Whether there is no value. Only a change of that counts.
  public var isNull: Bool {
    node.content.didRead(.presence)
    return node.content.value.isNull
  }
}
