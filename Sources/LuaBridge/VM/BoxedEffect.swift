/// The base class of Swift objects that scripts see as effects.
// `@unchecked`, because the conformance of a class that is not final cannot be checked. Proof: this
// class stores nothing; a subclass is responsible for what it adds.
open class BoxedEffect: @unchecked Sendable {
  public init() {}
}
