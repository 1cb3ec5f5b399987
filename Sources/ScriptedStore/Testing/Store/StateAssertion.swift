import ScriptValue

/// Compares the state that a test expects after an action with the state that the action made.
package struct StateAssertion: Sendable {
  package enum Statement: Sendable {
    case send, receive
    /// Asserts what the loss of the process makes of the state.
    case crash
    /// Asserts the current state. The test's function may leave the state unchanged, which is a
    /// failure of the other statements.
    case assert
  }

  package let statement: Statement
  package let exhaustivity: Exhaustivity
  package let before: Value
  package let after: Value
  /// The action that the test sent; nil for another statement.
  package var sent: Action?

  /// The failure, and the difference that a non-exhaustive test did not assert, if that is shown.
  /// Nil for none.
  package struct Result: Sendable {
    package var failure: String?
    package var skipped: String?
  }

  /// Runs the comparison.
  ///
  /// - Parameters:
  ///   - expect: Changes the state that it gets into the expected one. Nil if the test states no
  ///     change; an exhaustive test then expects none. In an exhaustive test it gets the state
  ///     before the action. Else it gets the state after the action; if skipped changes are shown,
  ///     it is called again with the state before.
  ///   - returned: The type of what `expect` has returned, if it is a script's function that
  ///     returned something.
  /// - Throws: What `expect` throws.
  package func check(
    _ expect: ((Value) throws -> Value)?, returned: () -> String? = { nil }
  ) throws -> Result {
    switch exhaustivity {
    case .on:
      let expected = try expect?(before) ?? before
      return Result(failure: failure(expected, isStated: expect != nil, returned()))
    case .off(let showSkipped):
      if let expect {
        let expected = try expect(after)
        guard expected == after else {
          return Result(failure: difference(expected, isStated: true))
        }
        // A function that says whether the state is right would pass whatever it returns.
        if returned() == "boolean" { return Result(failure: Self.remedy("boolean")) }
      }
      guard showSkipped else { return Result() }
      let expected = try expect?(before) ?? before
      return Result(skipped: LuaDiff().text(from: expected, to: after))
    }
  }

  private func failure(_ expected: Value, isStated: Bool, _ returned: String?) -> String? {
    let isUnchanged = isStated && expected == before
    guard expected == after else {
      let difference = difference(expected, isStated: isStated)
      return isUnchanged ? "\(difference)\n\n\(Self.remedy(returned))" : difference
    }
    if isUnchanged, returned == "boolean" { return Self.remedy(returned) }
    guard isUnchanged, statement != .assert else { return nil }
    return """
      the state was expected to change, but it did not: the function that says what is expected changed nothing. \
      Leave it out if nothing is to change.
      """
  }

  private static func remedy(_ returned: String?) -> String {
    "The function that says what is expected \(unchanged(returned)); "
      + "it has to change its argument into the state that is expected."
  }

  /// What a function did that gets a state and did not change it.
  ///
  /// - Parameter returned: the type of what it returned; nil for nothing.
  static func unchanged(_ returned: String?) -> String {
    let more = returned.map { " and returned \($0 == "effect" ? "an" : "a") \($0)" } ?? ""
    return "changed nothing\(more)"
  }

  private func difference(_ expected: Value, isStated: Bool) -> String {
    let heading =
      isStated
      ? "the state is not what was expected"
      : "the state was not expected to change, but it did"
    let difference = LuaDiff().text(from: expected, to: after) ?? ""
    let hint =
      isStated
      ? nil
      : payloadOfChange.map {
        "\n\n\(Value.object($0)) was sent as the payload; say what changes by a function."
      }
    return "\(heading) (- expected, + actual):\n\n\(difference)\(hint ?? "")"
  }

  /// The payload of the action, if it is just what the action has changed, as in `store:send("add", { n = 1 })`.
  private var payloadOfChange: Value.Object? {
    guard let payload = sent?.payload, !payload.isEmpty, case .object(var state) = before else {
      return nil
    }
    for (key, value) in payload { state[key] = value }
    return .object(state) == after ? payload : nil
  }
}

/// How completely a test must assert what its store does. As TCA's `Exhaustivity`.
public enum Exhaustivity: Sendable, Hashable {
  /// The test must assert every change of state and every action that an effect sends, and all
  /// effects must have ended at its end.
  case on
  /// The test asserts only what it chooses to. With `showSkipped`, the rest is printed; it never
  /// fails the test.
  case off(showSkipped: Bool = false)

  public static let off = Exhaustivity.off()
}
