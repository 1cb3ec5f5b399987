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
