/// A warning about something that is legal but most likely a mistake. The action that caused it
/// goes on.
public struct RuntimeWarning: Sendable, Hashable {
  /// What is wrong, for hosts that treat some kinds differently. `message` is for people.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// No reducer handles an action of this type.
    case unknownAction
    /// A child got something that is not an action.
    case malformedAction
    /// `forEach` or `stack` got an action for an element that does not exist, or `popFrom` names
    /// one.
    case missingElement
    /// `scope` or `ifLet` got an action for a child whose state is absent.
    case absentChild
    /// `cases` or `ifCaseLet` got an action for a case that the state is not in.
    case otherCase
    /// Two elements of a `forEach` or `stack` have the same id, or an element is pushed with an id
    /// that exists.
    case duplicateID
    /// A binding's action arrived where no `binding()` writes its value.
    case unhandledBinding
    /// A binding's action has a key that neither the state nor its defaults have.
    case unknownBindingKey
    /// An effect raised an error that nothing caught.
    case effectError
    /// The `send` of an effect was called after its function had returned, or outside of it.
    case sendAfterEnd
    /// A cancelled effect caught its cancellation again and again.
    case cancellationSwallowed
    /// Scripts hold nearly all the memory of their VM, so they are loaded again. Or all VMs
    /// together hold more than `Limits.totalMemory`, so the effects of the oldest are cancelled.
    case memoryFull
    /// A feature that nothing presents asks to be dismissed, or `ifLet` is asked to dismiss while
    /// it presents nothing.
    case notPresented
    /// After a reload an effect is in flight whose handler no longer exists.
    case vanishedHandler
    /// A local of a module had changed since the module was loaded, and a reload has reset it.
    case lostLocal
    /// An action arrived while the store's history was locked, and was dropped.
    case locked
    /// A shared value is declared with several defaults, or an inherited one has its own default although a
    /// feature around has a field of that name.
    case sharedDefault
    /// A stored shared value cannot be read or written, or the key of a shared field cannot be chosen.
    case sharedStorage
    /// Stores changed shared values in reaction to each other's changes, again and again.
    case sharedLoop
    /// A reload left states of a feature as they are that have another version or new fields, because a shared value
    /// has them.
    case sharedState
  }

  public let kind: Kind
  /// What happened, the likely reason, and what to do.
  public let message: String
  /// The operator or feature with the script line that made it: `forEach at todos.lua:66`.
  public let origin: String
  /// The path of the action that was reduced, or that started the effect. nil if there was none, as
  /// when a store is made.
  public let action: String?
  /// Lua's traceback, if a script raised an error.
  public let traceback: String?
  /// The effect in question, as it was at the time of the warning.
  public let effect: EffectDescription?

  init(
    kind: Kind, message: String, origin: String, action: String?, traceback: String? = nil,
    effect: EffectDescription? = nil
  ) {
    self.kind = kind
    self.message = message
    self.origin = origin
    self.action = action
    self.traceback = traceback
    self.effect = effect
  }
}

extension RuntimeWarning: CustomStringConvertible {
  public var description: String { message }

  /// What stands in front of the message where people read it: `warning[unknownAction]`.
  package var heading: String {
    (kind == .effectError ? "error" : "warning") + "[\(kind.rawValue)]"
  }
}
