// `Value`, `ValuePath`, `ScriptError` and `JSONPatch` are part of every host's code, so that one import is enough.
@_exported import LuaBridge
