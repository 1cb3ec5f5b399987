/* Protected calls for `effect.result`, which tell a programming error of a script from a failure that is meant as one. */
#include <string.h>

#include "core/internal.h"
#include "coroutines/internal.h"
#include "effects/internal.h"

/* Whether the string at index 1 was raised by Lua itself (an index of nil), or by a C function that scripts misuse: not by
 * `error` or `assert`, and not by Swift. The innermost function on the stack has raised it. [-0, +0, -] */
static bool is_fault(lua_State *L) {
  lua_Debug frame;
  if (lua_type(L, 1) != LUA_TSTRING || !lua_getstack(L, 1, &frame) || !lua_checkstack(L, 2)) return false;
  lua_pushvalue(L, 1);
  bool is_thrown = sl_is_thrown(L);
  lua_getinfo(L, "Sf", &frame);
  bool is_script = frame.what[0] != 'C';
  bool is_host = sl_is_host_function(L, -1);
  lua_pop(L, 2);
  if (is_script) return true;
  if (is_thrown || is_host) return false;
  const char *name = sl_library_name(L, &frame);
  return name == NULL || (strcmp(name, "error") != 0 && strcmp(name, "assert") != 0);
}

/* The message handler. It runs while the stack of the error still exists. Upvalue: whether the last error is a fault; set
 * here, read by `tried`. [-0, +0, -] */
static int sort_error(lua_State *L) {
  lua_settop(L, 1);
  lua_pushboolean(L, sl_vm_of(L)->stop.reason == SL_STOP_NONE && is_fault(L));
  lua_replace(L, lua_upvalueindex(1));
  return 1;
}

static int tried(lua_State *L, int status, lua_KContext context) {
  (void)context;
  if (status == LUA_OK || status == LUA_YIELD) {
    lua_pushboolean(L, 1);
    lua_replace(L, 1);
    return lua_gettop(L);
  }
  /* The stack is the handler and the error value. */
  lua_getupvalue(L, 1, 1);
  lua_pushboolean(L, 0);
  lua_replace(L, 1);
  return 3;
}

/* try(f, ...): true and the results of f(...), or false, the error value, and whether it is a programming error. The
 * function may wait. */
int sl_native_try(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, 0);
  lua_pushcclosure(L, sort_error, 1);
  lua_insert(L, 1);
  return tried(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 1, 0, tried), 0);
}
