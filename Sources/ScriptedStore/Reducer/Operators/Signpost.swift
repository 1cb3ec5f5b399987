import LuaBridge

extension Reducer {
  /// ``HostConfiguration/instrument`` measures `self`, with everything below it, and each
  /// effect that it returns. As TCA's `signpost`. Without an instrument this costs one comparison
  /// for each action.
  public func signpost(
    _ prefix: String? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Reducer {
    let origin = "signpost at \(file):\(line)"
    return Reducer(origin: origin) { (compiler, builder) throws(ScriptError) in
      try compiler.signpost(.swift(self), prefix, origin, &builder)
    }
  }
}

extension ReducerCompiler {
  func signpost(
    _ base: ReducerSource, _ prefix: String?, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    SignpostNode(base: try compile(base, &builder), prefix: prefix, origin: origin)
  }
}

/// Lets the host's instrument measure a reducer and its effects. As TCA's `signpost`.
final class SignpostNode: WrapperNode {
  private let prefix: String?
  /// The name of the first feature in `base`; the origin if it has none.
  private let measured: String

  init(base: ReducerNode, prefix: String?, origin: String) {
    self.prefix = prefix
    measured = base.firstFeature?.feature ?? origin
    super.init(base, origin: origin)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    guard let instrument = context.instrument else {
      return try base.reduce(context, draft, action)
    }
    let path = Action(trusted: Value(borrowing: action.slot)).path
    let end = instrument.begin(operation(.reducer, path, origin))
    do throws(ScriptError) {
      let effect = try base.reduce(context, draft, action)
      end(.finished)
      return measured(effect, path, instrument, context)
    } catch {
      end(.failed(error.description))
      throw error
    }
  }

  override func react(
    _ context: ReduceContext, _ draft: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let effect = try super.react(context, draft, old: old, action)
    guard !effect.isNone, let instrument = context.instrument else { return effect }
    let path = Action(trusted: Value(borrowing: action)).path
    return measured(effect, path, instrument, context)
  }

  private func measured(
    _ effect: ReturnedEffects, _ path: String, _ instrument: any SignpostInstrument,
    _ context: ReduceContext
  ) -> ReturnedEffects {
    effect.mapNodes(context) { node, owner in
      node.measured(
        by: Measurement(
          instrument: instrument, operation: operation(.effect, path, owner?.origin ?? origin)))
    }
  }

  private func operation(
    _ kind: InstrumentedOperation.Kind, _ action: String, _ origin: String
  ) -> InstrumentedOperation {
    InstrumentedOperation(
      kind: kind, prefix: prefix, feature: measured, action: action, origin: origin)
  }
}
