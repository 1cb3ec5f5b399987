// The VM takes and returns `Value`s, so one import of `LuaBridge` is enough to use it.
@_exported import ScriptValue
