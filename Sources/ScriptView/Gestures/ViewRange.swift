import ScriptValue

/// The numbers that a slider or stepper takes.
public struct ViewRange: Sendable, Hashable {
  /// The least number; nil if there is none.
  public let min: Double?
  /// The largest number; nil if there is none.
  public let max: Double?
  /// The distance of two values; nil if any number between the bounds will do.
  public let step: Double?
  /// A number from which all others are whole steps away.
  private let base: Double

  /// The range of a slider or stepper. A slider goes from 0 to 1 if nothing else is said, and a
  /// stepper in steps of 1.
  init(_ node: ViewNode) {
    let isSlider = node.elementKind == .slider
    min = node.number("min") ?? (isSlider ? 0 : nil)
    max = node.number("max") ?? (isSlider ? Swift.max(1, node.number("min") ?? 0) : nil)
    let step = node.number("step") ?? (isSlider ? 0 : 1)
    self.step = step > 0 ? step : nil
    base = min ?? node.number("value") ?? 0
  }

  /// The bounds, which are those of a slider where the node does not say any.
  private var bounds: (lower: Double, upper: Double) { (min ?? 0, max ?? 1) }

  /// How far a number is on the way from the lower bound to the upper one, from 0 to 1.
  public func part(of number: Double) -> Double {
    let (lower, upper) = bounds
    guard lower < upper else { return 0 }
    let number = Swift.min(Swift.max(number, lower), upper)
    let width = upper - lower
    // The width of the whole range of numbers is infinite; half of it is not.
    return width.isFinite
      ? (number - lower) / width : (number / 2 - lower / 2) / (upper / 2 - lower / 2)
  }

  /// The nearest number in the range to a part of the way from the lower bound to the upper one.
  public func number(atPart part: Double) -> Double {
    let (lower, upper) = bounds
    let width = upper - lower
    return nearest(to: width.isFinite ? lower + width * part : lower * (1 - part) + upper * part)
  }

  /// The number that is so many steps from another one.
  public func number(_ count: Double, stepsFrom number: Double) -> Double {
    let (lower, upper) = bounds
    return nearest(to: number + count * (step ?? upper / 20 - lower / 20))
  }

  /// The nearest number in the range: between the bounds, and whole steps from the lower one.
  public func nearest(to number: Double) -> Double {
    var result = number
    if let step {
      let stepped = base + ((number - base) / step).rounded() * step
      // A step so small that it vanishes in the number, or so large that nothing is left.
      if stepped.isFinite { result = stepped }
    }
    if let max, result > max {
      // The last whole step that is not beyond the bound.
      let last = step.map { base + ((max - base) / $0).rounded(.down) * $0 }
      result = last.map { $0.isFinite && $0 <= max ? $0 : max } ?? max
    }
    if let min, result < min { result = min }
    return result
  }
}

extension ViewNode {
  /// The range of a slider or stepper; nil for any other node.
  public var range: ViewRange? {
    element?.entry == .number ? ViewRange(self) : nil
  }
}

/// One of the options of a picker.
public struct ViewOption: Sendable, Hashable {
  /// What is entered when the option is chosen.
  public let value: Value
  public let label: String
}

extension ViewNode {
  /// The options of a picker: texts and numbers, or `{ value, label }`. All else is left out.
  public var options: [ViewOption] {
    (self["options"]?.array ?? []).compactMap { option in
      if let label = option.drawnScalar { return ViewOption(value: option, label: label) }
      guard case .object(let object) = option else { return nil }
      let value = object["value"] ?? .null
      guard let label = object["label"]?.drawnScalar ?? value.drawnScalar else { return nil }
      return ViewOption(value: value, label: label)
    }
  }

  /// Whether an option is that of the node's value.
  public func isChosen(_ option: ViewOption) -> Bool { option.value == (self["value"] ?? .null) }
}
