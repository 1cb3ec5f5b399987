import LuaBridge
public func p2() -> Int { probe() }
