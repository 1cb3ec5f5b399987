import LuaBridge
import ScriptView

extension ViewElement {
  /// The elements, as the reader of nodes knows them.
  static var nodeKinds: NodeKinds {
    NodeKinds(
      all.map { ($0.kind, $0.isPlace ? .place : .element) }, presentations: presentations,
      actions: actionProperties,
      // A date may be cleared.
      clearable: ["datePicker"])
  }
}
