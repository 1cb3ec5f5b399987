import ScriptValue

/// An element that takes a number of a range.
protocol RangeElement: EnteredElement {}

extension RangeElement {
  var properties: [ViewProperty] { ViewProperty.range }

  func control(_ node: ViewNode) -> ControlKind? { .range }

  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value? {
    guard let number = value.double, number.isFinite else {
      throw location.refusal(value, "takes a number")
    }
    let nearest = ViewRange(location.node).nearest(to: number)
    if nearest == number { return value }
    return Int64(exactly: nearest).map { .integer($0) } ?? .float(nearest)
  }
}

struct SliderElement: RangeElement {
  /// A slider with its value.
  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    // A screen reader gets the value from the slider itself.
    let value = HTMLElement(
      "output", ["aria-hidden": "true"], text: location.node["value"]?.drawnNumber ?? "")
    builder.line(
      builder.labelled(builder.range("range", location), location, showing: value))
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    let style = builder.style(of: location)
    var text = builder.label(node)
    let part = node.number("value").map { ViewRange(node).part(of: $0) } ?? 0
    for (index, mark) in builder.bar(part).enumerated() {
      text.append(String(mark), style, part: index)
    }
    text.append(" " + (node["value"]?.drawnScalar ?? "-"), style)
    return builder.control(text, location)
  }
}

struct StepperElement: RangeElement {
  /// A field for a number, with a button for each direction.
  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    builder.line(builder.labelled(builder.range("number", location), location))
    for (name, label, sign) in [("less", "Decrease", "−"), ("more", "Increase", "+")] {
      var button = HTMLElement(
        "button", ["type": "button", "class": name, "aria-label": label], text: sign)
      button.set("disabled", if: location.disabled != nil)
      builder.line(button)
    }
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let style = builder.style(of: location)
    var text = builder.label(location.node)
    text.append("[-]", style, part: 1)
    text.append(" \(location.node["value"]?.drawnScalar ?? "-") ", style)
    text.append("[+]", style, part: 2)
    return builder.control(text, location)
  }
}

extension HTMLBuilder {
  /// A field for a number between two bounds.
  fileprivate func range(_ type: String, _ location: ViewLocation) -> HTMLElement {
    var input = input(type, location)
    let range = ViewRange(location.node)
    input.set("min", range.min.flatMap { Value.float($0).drawnNumber })
    input.set("max", range.max.flatMap { Value.float($0).drawnNumber })
    input.set("step", range.step.flatMap { Value.float($0).drawnNumber } ?? "any")
    return input
  }
}

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

  /// The number that is `count` steps from another one.
  public func number(_ count: Double, stepsFrom number: Double) -> Double {
    let (lower, upper) = bounds
    return nearest(to: number + count * (step ?? upper / 20 - lower / 20))
  }

  /// The nearest number in the range: between the bounds, and whole steps from the lower one.
  public func nearest(to number: Double) -> Double {
    var result = stepped(number)
    if let max, result > max {
      // The last number that is not beyond the bound is the nearest one to it, or the one before.
      let last = stepped(max)
      let before = stepped(last - (step ?? 0))
      result = [last, before].first { $0.isFinite && $0 <= max } ?? max
    }
    if let min, result < min { result = min }
    return result
  }

  /// The nearest number that is whole steps away from the base.
  private func stepped(_ number: Double) -> Double {
    guard let step else { return number }
    // A step of 0.1 is counted in tenths, because only sums of whole numbers are exact.
    for scale in sequence(first: 1.0, next: { $0 < 1e9 ? $0 * 10 : nil }) {
      guard let first = (base * scale).nearlyWhole,
        let distance = (step * scale).nearlyWhole, distance > 0, abs(number * scale) < 1e12
      else { continue }
      return (first + ((number * scale - first) / distance).rounded() * distance) / scale
    }
    let result = base + ((number - base) / step).rounded() * step
    // A number that is whole steps away but for rounding is kept. So is any number if the step is so small that it vanishes in
    // it, or so large that nothing is left.
    let rounding = Swift.max(step * 1e-9, 2 * Swift.max(abs(number), abs(base)).ulp)
    return result.isFinite && abs(result - number) > rounding ? result : number
  }
}

extension Double {
  /// The whole number that it is but for rounding; nil if it is none, or so large that this cannot be told.
  fileprivate var nearlyWhole: Double? {
    magnitude < 1e12 && abs(self - rounded()) <= 2 * ulp ? rounded() : nil
  }
}

extension ViewNode {
  /// The range of a slider or stepper; nil for any other node.
  public var range: ViewRange? {
    control == .range ? ViewRange(self) : nil
  }
}
