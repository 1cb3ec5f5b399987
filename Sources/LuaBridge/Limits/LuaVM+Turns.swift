import CLua

extension LuaVM {
  /// Sets the limits from the next call on.
  ///
  /// - Throws: if time is limited and the watchdog's thread cannot be started.
  public func setLimits(_ limits: LuaLimits) throws(ScriptError) {
    try setLimits(TurnLimits(limits))
  }

  /// Sets the limits from the next turn on. Throws if time is limited and the watchdog's thread
  /// cannot be started.
  package func setLimits(_ limits: TurnLimits) throws(ScriptError) {
    turnLimits = limits
    guard use(limits.turn) else { throw .hasNoWatchdog }
  }

  /// Begins a turn. `limits` replace those of the VM; nil keeps them. A turn that begins inside
  /// another turn is a part of that one.
  /// ``endTurn(_:)`` must follow on the same thread.
  @inline(__always)
  package func beginTurn(_ limits: TurnLimits?) {
    takeReturned()
    if let limits, core.pointee.turn.depth == 0 { use(limits.turn) }
    sl_begin_turn(core)
  }

  @inline(__always)
  package func endTurn(_ limits: TurnLimits?) {
    sl_end_turn(core)
    if limits != nil && core.pointee.turn.depth == 0 { use(turnLimits.turn) }
    releaseDeferred()
  }

  /// Runs `body` as one turn.
  ///
  /// - Parameter use: what the body of an effect has used in earlier slices of this turn.
  package func turn<R, Failure: Error>(
    _ limits: TurnLimits? = nil, after use: BodyUse? = nil, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    beginTurn(limits)
    if var use = use?.core { sl_charge_turn(core, &use) }
    defer { endTurn(limits) }
    return try body()
  }

  /// Runs `body`, which loads scripts, as one turn with the limits for loading.
  package func loading<R, Failure: Error>(
    _ limits: TurnLimits? = nil, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let limits = limits ?? turnLimits
    if core.pointee.turn.depth == 0 { use(limits.load) }
    sl_begin_turn(core)
    defer { endTurn(limits) }
    return try body()
  }

  /// Returns false if the watchdog's thread cannot be started. A turn ignores that: the thread runs already for
  /// the VM's own limits, or the next call of a script asks for it again.
  @discardableResult
  private func use(_ limits: sl_limits) -> Bool {
    var limits = limits
    return sl_set_limits(core, &limits)
  }

  /// Whether scripts were stopped for lack of memory, and most of the memory they may have was in
  /// use after that.
  package var isFull: Bool { core.pointee.memory.is_full }

  /// Makes ``isFull`` false, because the owner has reacted to it.
  package func forgetIsFull() { sl_forget_is_full(&core.pointee.memory) }
}
