// Made by `runner swift todos`. Change the scripts instead.
// swift-format-ignore-file

import ScriptedStore

struct TodosState: Codable, Sendable, Equatable {
  var filter: String
  var isEditing: Bool
  var nextId: Int
  var todos: [TodoState]
}

enum TodosAction: ScriptAction {
  case addTodoButtonTapped
  case clearCompletedButtonTapped
  case delete([String: Value] = [:])
  case move([String: Value] = [:])
  case setFilter([String: Value] = [:])
  case sortCompletedTodos
  case todos(id: Int, TodoAction)
  case binding(ScriptBinding<TodosState>)

  func encoded() throws -> Value {
    switch self {
    case .addTodoButtonTapped: return .action("addTodoButtonTapped")
    case .clearCompletedButtonTapped: return .action("clearCompletedButtonTapped")
    case .delete(let fields): return .action("delete", fields: fields)
    case .move(let fields): return .action("move", fields: fields)
    case .setFilter(let fields): return .action("setFilter", fields: fields)
    case .sortCompletedTodos: return .action("sortCompletedTodos")
    case .todos(let id, let action):
      return try .action("todos", id: id, action)
    case .binding(let binding): return try binding.encoded()
    }
  }
}

typealias TodosStore = ScriptStore<TodosState, TodosAction>

extension ScriptBinding where State == TodosState {
  static func filter(_ value: String) -> ScriptBinding {
    ScriptBinding(key: "filter", value)
  }
  static func isEditing(_ value: Bool) -> ScriptBinding {
    ScriptBinding(key: "isEditing", value)
  }
  static func nextId(_ value: Int) -> ScriptBinding {
    ScriptBinding(key: "nextId", value)
  }
  static func todos(_ value: [TodoState]) -> ScriptBinding {
    ScriptBinding(key: "todos", value)
  }
}

extension ScriptScope where Parent == TodosAction, State == TodoState, Action == TodoAction {
  static func todos(id: Int) -> ScriptScope {
    ScriptScope(element: id, of: "todos", action: "todos")
  }
}

struct TodoState: Codable, Sendable, Equatable, Identifiable {
  var id: Int
  var description: String
  var isComplete: Bool
}

enum TodoAction: ScriptAction {
  case rename([String: Value] = [:])
  case toggle
  case binding(ScriptBinding<TodoState>)

  func encoded() throws -> Value {
    switch self {
    case .rename(let fields): return .action("rename", fields: fields)
    case .toggle: return .action("toggle")
    case .binding(let binding): return try binding.encoded()
    }
  }
}

typealias TodoStore = ScriptStore<TodoState, TodoAction>

extension ScriptBinding where State == TodoState {
  static func id(_ value: Int) -> ScriptBinding {
    ScriptBinding(key: "id", value)
  }
  static func description(_ value: String) -> ScriptBinding {
    ScriptBinding(key: "description", value)
  }
  static func isComplete(_ value: Bool) -> ScriptBinding {
    ScriptBinding(key: "isComplete", value)
  }
}
