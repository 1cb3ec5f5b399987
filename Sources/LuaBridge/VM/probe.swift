import CLua
import HashTreeCollections
public func probe() -> Int { let L = luaL_newstate(); defer { lua_close(L) }; return Int(sl_probe()) + Int(lua_gettop(L)) }
