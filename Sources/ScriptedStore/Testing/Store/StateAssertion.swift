import LuaBridge

/// Compares what a test expects an action to have made of the state with what it did.
package struct StateAssertion: Sendable {
  package enum Statement: Sendable {
    case send, receive
    /// Which may change nothing.
    case assert
  }

  package let statement: Statement
  package let exhaustivity: Exhaustivity
  package let before: Value
  package let after: Value

  /// What a test says of it: what failed, and what it left out where that is shown.
  package struct Result: Sendable {
    package var failure: String?
    package var skipped: String?
  }

  /// - Parameter expect: makes the expected state of one that it gets; nil where the test says nothing. Exhaustive:
  ///   it gets the state before. Else it gets the one after, and a second time the one before if what
  ///   it leaves out is shown.
  package func check(_ expect: ((Value) throws -> Value)?) throws -> Result {
    switch exhaustivity {
    case .on:
      return Result(failure: failure(try expect?(before) ?? before, isStated: expect != nil))
    case .off(let showSkipped):
      if let expect {
        let expected = try expect(after)
        guard expected == after else {
          return Result(failure: difference(expected, isStated: true))
        }
      }
      guard showSkipped else { return Result() }
      let expected = try expect?(before) ?? before
      return Result(skipped: LuaDiff().text(from: expected, to: after))
    }
  }

  private func failure(_ expected: Value, isStated: Bool) -> String? {
    guard expected == after else { return difference(expected, isStated: isStated) }
    guard isStated, statement != .assert, expected == before else { return nil }
    return """
      the state was expected to change, but it did not: the function that says what is expected changed nothing. \
      Leave it out if nothing is to change.
      """
  }

  private func difference(_ expected: Value, isStated: Bool) -> String {
    let heading =
      isStated
      ? "the state is not what was expected"
      : "the state was not expected to change, but it did"
    let difference = LuaDiff().text(from: expected, to: after) ?? ""
    return "\(heading) (- expected, + actual):\n\n\(difference)"
  }
}
