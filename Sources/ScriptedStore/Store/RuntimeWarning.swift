/// Something that is legal and most likely a mistake; the action that it came up in goes on.
public struct RuntimeWarning: Sendable, Hashable {
  /// What is wrong, for hosts that treat some of them differently; `message` is for people.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// No reducer handles an action of this type.
    case unknownAction
    /// A child got something that is not an action.
    case malformedAction
    /// `forEach` or `stack` got an action for an element that is not there, or `popFrom` names one.
    case missingElement
    /// `scope` or `ifLet` got an action for a child whose state is absent.
    case absentChild
    /// `cases` or `ifCaseLet` got an action for a case that the state is not in.
    case otherCase
    /// Two elements of a `forEach` or `stack` have one id, or one is pushed that is there.
    case duplicateID
    /// A binding's action came where no `binding()` writes what it says.
    case unhandledBinding
    /// A binding's action has a key that neither the state nor its defaults have.
    case unknownBindingKey
    /// An effect raised what nothing caught.
    case effectError
    /// The `send` of an effect was used when its function had returned.
    case sendAfterEnd
    /// A cancelled effect caught its cancellation, again and again.
    case cancellationSwallowed
    /// Scripts keep so much in the VM that they were loaded anew.
    case memoryFull
    /// What nothing presents asks to be dismissed, or `ifLet` is asked to dismiss while it presents nothing.
    case notPresented
    /// After a reload an effect is in flight whose handler is not there any more.
    case vanishedHandler
    /// A local of a module had changed since the module was loaded, and a reload has put it back.
    case lostLocal
    /// An action came while the store's history was locked, and was dropped.
    case locked
  }

  public let kind: Kind
  /// What happened, why that may be, and what to do.
  public let message: String
  /// The operator or feature and the script line that made it: `forEach at todos.lua:66`.
  public let origin: String
  /// The path of the action that was reduced, or that started the effect; nil when a store was made.
  public let action: String?
  /// Lua's traceback, where something was raised.
  public let traceback: String?
  /// The effect in question, as it was when it came up.
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
}
