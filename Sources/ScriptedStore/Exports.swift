// Every host uses `Value`, `ValuePath`, `ScriptError` and `JSONPatch`; with this one import of
// `ScriptedStore` is enough.
@_exported import LuaBridge
@_exported import ScriptView
