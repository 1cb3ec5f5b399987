/* The functions of `scripted.ui` that make nodes: each checks the table that it gets, and returns it with a `kind`.
 *
 * They are in C because a screen of 1,000 rows calls them thousands of times: checking four nodes took 2.4 µs in Lua, and takes
 * 0.5 µs here. */
#include "drafts/internal.h"
#include "views/internal.h"

/* The upvalues of a constructor. MOST_CHILDREN is 0, or 1 for an element with a text, or as many as one likes. */
enum { KIND = 1, PROPERTIES, MOST_CHILDREN, REFUSE };

/* Calls the function that explains what is wrong: refuse(given, key, value, second). It raises. `key`, `value` and `second` are
 * indices, or 0 for nil. */
static int refuse(lua_State *L, int key, int value, int second) {
  const int arguments[] = {1, key, value, second};
  lua_pushvalue(L, lua_upvalueindex(REFUSE));
  for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
    if (arguments[i] == 0) {
      lua_pushnil(L);
    } else {
      lua_pushvalue(L, arguments[i]);
    }
  }
  lua_call(L, 4, 0);
  return luaL_error(L, "a node is refused");
}

/* The bit of a property that may not be an empty string. It is above those of the types. */
enum { NOT_EMPTY = 1 << 16 };

/* The type of a value as scripts see it: a container of the state is a table. */
static int type_of(lua_State *L, int value) {
  int type = lua_type(L, value);
  return type == LUA_TUSERDATA && sl_to_ref(L, value) != NULL ? LUA_TTABLE : type;
}

/* Whether the value at `value` may be that of a property whose check is on top of the stack: a set of types, as bits, a table of
 * the words that it may be, or a function that says so. */
static bool is_allowed(lua_State *L, int value) {
  if (lua_isinteger(L, -1)) {
    lua_Integer check = lua_tointeger(L, -1);
    if ((check & (1 << type_of(L, value))) == 0) return false;
    return (check & NOT_EMPTY) == 0 || lua_rawlen(L, value) > 0;
  }
  if (lua_isfunction(L, -1)) {
    lua_pushvalue(L, -1);
    lua_pushvalue(L, value);
    lua_call(L, 1, 1);
    bool is_right = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is_right;
  }
  if (lua_type(L, -1) != LUA_TTABLE || lua_type(L, value) != LUA_TSTRING) return false;
  lua_pushvalue(L, value);
  bool is_word = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 1);
  return is_word;
}

static void check_properties(lua_State *L) {
  lua_Integer most = lua_tointeger(L, lua_upvalueindex(MOST_CHILDREN));
  lua_pushnil(L);
  while (lua_next(L, 1)) { /* the key is at index 2, the value at 3 */
    if (lua_type(L, 2) == LUA_TSTRING) {
      lua_pushvalue(L, 2);
      lua_rawget(L, lua_upvalueindex(PROPERTIES));
      if (!is_allowed(L, 3)) refuse(L, 2, 3, 0);
    } else if (lua_isinteger(L, 2) && lua_tointeger(L, 2) > most && lua_toboolean(L, 3)) {
      refuse(L, 2, 3, 0);
    }
    lua_settop(L, 2);
  }
}

/* Moves the first element of the array part to the property `text`. */
static void take_text(lua_State *L) {
  int type = lua_rawgeti(L, 1, 1);
  if (type == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  if (type != LUA_TSTRING && type != LUA_TNUMBER) {
    lua_pushliteral(L, "text");
    refuse(L, 3, 2, 0);
  }
  lua_setfield(L, 1, "text");
  lua_pushnil(L);
  lua_rawseti(L, 1, 1);
}

/* Whether there is a second argument that would be lost. A number is none: `string.gsub` returns one behind its text. */
static bool has_second(lua_State *L) { return lua_gettop(L) > 1 && !lua_isnil(L, 2) && lua_type(L, 2) != LUA_TNUMBER; }

static int construct(lua_State *L) {
  if (has_second(L)) return refuse(L, 0, 0, 2);
  lua_settop(L, 1);
  switch (lua_type(L, 1)) {
    case LUA_TTABLE: break;
    case LUA_TNIL: lua_newtable(L); break;
    case LUA_TSTRING:
    case LUA_TNUMBER:
      lua_createtable(L, 1, 2);
      lua_pushvalue(L, 1);
      lua_rawseti(L, 2, 1);
      break;
    default: return refuse(L, 0, 1, 0);
  }
  if (lua_gettop(L) == 2) lua_replace(L, 1);
  if (lua_tointeger(L, lua_upvalueindex(MOST_CHILDREN)) == 1) take_text(L);
  check_properties(L);
  lua_pushvalue(L, lua_upvalueindex(KIND));
  lua_setfield(L, 1, "kind");
  return 1;
}

int sl_native_element(lua_State *L) {
  lua_settop(L, 4);
  lua_pushcclosure(L, construct, 4);
  return 1;
}
