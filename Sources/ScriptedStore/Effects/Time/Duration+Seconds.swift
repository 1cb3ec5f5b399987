extension Duration {
  /// A duration of seconds from outside. `Duration` itself traps for what it cannot represent; here
  /// that is the nearest of 30,000 years, and zero for NaN.
  package init(clampingSeconds seconds: Double) {
    let longest = 1e12
    self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -longest), longest))
  }
}
