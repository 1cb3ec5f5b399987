import LuaBridge

/// Other forms of an action, and what goes with one.
extension Store {
  /// Sends the action of a path and a payload: `send("todos[3].rename", ["description": "Milk"])`.
  @discardableResult
  public func send(_ path: String, _ payload: Value?) throws(ActionError) -> StoreTask {
    send(try Action(path: path, payload: payload))
  }

  /// Sends the action of a path that is made at run time. A literal is an ``Action`` itself, and does
  /// not throw.
  @_disfavoredOverload
  @discardableResult
  public func send(_ path: String) throws(ActionError) -> StoreTask {
    send(try Action(path: path))
  }

  /// Sends the action of a table. A literal is an ``Action`` itself, and does not throw.
  @_disfavoredOverload
  @discardableResult
  public func send(_ value: Value) throws(ActionError) -> StoreTask { send(try Action(value)) }

  /// Sends the action of a value that encodes as an action's table or as a path.
  @discardableResult
  public func send(encoding action: some Encodable) throws -> StoreTask {
    send(try Action(encoding: action))
  }

  /// Sends an action with a transaction, as an effect does with `effect:transaction`: it is the
  /// action's ``ActionRecord/transaction``, and observers get it with what the action and those that
  /// its effects send at once have changed, unless one of these has a transaction of its own.
  @discardableResult
  public func send(_ action: Action, transaction: Value) -> StoreTask {
    submit(action, transaction: transaction)
  }

  /// Sends an action with the transaction `{ animation = … }`, as a host does for the button of an
  /// alert that has an `animation`.
  @discardableResult
  public func send(_ action: Action, animation: Value) -> StoreTask {
    submit(action, transaction: ["animation": animation])
  }
}
