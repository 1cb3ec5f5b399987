/* scripted.null: JSON's null in Lua. It is a light userdata, so pushing it allocates nothing, it is equal to itself in
 * every VM, and it is true in a condition. The value of effect.cancelled is another light userdata. */
#include "values/internal.h"

#include "core/internal.h"

static const char null_identity = 0, cancelled_identity = 0;

void sl_push_null(lua_State *L) { lua_pushlightuserdata(L, (void *)&null_identity); }
void sl_push_cancelled(lua_State *L) { lua_pushlightuserdata(L, (void *)&cancelled_identity); }

bool sl_is_cancelled(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TLIGHTUSERDATA && lua_touserdata(L, index) == &cancelled_identity;
}

bool sl_is_null(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TLIGHTUSERDATA && lua_touserdata(L, index) == &null_identity;
}

/* The name of the operand in messages. Operands come in either order, and all light userdata share one metatable, so a
 * foreign one must not be called null. */
static const char *subject(lua_State *L) {
  if (sl_is_null(L, 1) || sl_is_null(L, 2)) return "null";
  return sl_is_cancelled(L, 1) || sl_is_cancelled(L, 2) ? "effect.cancelled" : "a userdata";
}

static int null_tostring(lua_State *L) {
  if (sl_is_null(L, 1)) {
    lua_pushliteral(L, "null");
  } else if (sl_is_cancelled(L, 1)) {
    lua_pushliteral(L, "effect.cancelled");
  } else {
    lua_pushliteral(L, "userdata");
  }
  return 1;
}

static const char advice[] = "scripted.isNull tells it from a table";

static int null_index(lua_State *L) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    return luaL_error(L, "attempt to index %s (field '%s'); %s", subject(L), lua_tostring(L, 2), advice);
  }
  return luaL_error(L, "attempt to index %s; %s", subject(L), advice);
}

static int null_call(lua_State *L) { return luaL_error(L, "attempt to call %s", subject(L)); }
static int null_len(lua_State *L) { return luaL_error(L, "attempt to get length of %s; %s", subject(L), advice); }
static int null_concat(lua_State *L) { return luaL_error(L, "attempt to concatenate %s", subject(L)); }
static int null_compare(lua_State *L) { return luaL_error(L, "attempt to compare %s", subject(L)); }
static int null_arithmetic(lua_State *L) { return luaL_error(L, "attempt to perform arithmetic on %s", subject(L)); }

void sl_open_null(lua_State *L) {
  static const luaL_Reg events[] = {
      {"__tostring", null_tostring}, {"__index", null_index},    {"__newindex", null_index},
      {"__call", null_call},         {"__len", null_len},        {"__concat", null_concat},
      {"__lt", null_compare},        {"__le", null_compare},     {"__add", null_arithmetic},
      {"__sub", null_arithmetic},    {"__mul", null_arithmetic}, {"__div", null_arithmetic},
      {"__mod", null_arithmetic},    {"__pow", null_arithmetic}, {"__unm", null_arithmetic},
      {"__idiv", null_arithmetic},   {"__band", null_arithmetic}, {"__bor", null_arithmetic},
      {"__bxor", null_arithmetic},   {"__shl", null_arithmetic}, {"__shr", null_arithmetic},
      {"__bnot", null_arithmetic},   {NULL, NULL}};
  sl_push_null(L);
  luaL_newlib(L, events);
  sl_lock_metatable(L, "null");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}
