/* The C functions that the test framework in Lua builds on: calls whose failures are returned as tables. */
#include <string.h>

#include "core/internal.h"
#include "limits/internal.h"
#include "sandbox/internal.h"
#include "testing/internal.h"

/* ---- Failed assertions ----------------------------------------------------------------------------------------------- */

/* failure(message): makes a value to raise, whose text is the message. */
static int make_failure(lua_State *L) {
  luaL_checkstring(L, 1);
  lua_settop(L, 1);
  lua_createtable(L, 0, 1);
  lua_insert(L, 1);
  lua_setfield(L, 1, "message");
  lua_rawgeti(L, LUA_REGISTRYINDEX, sl_vm_of(L)->testing.failure_mark);
  lua_setmetatable(L, 1);
  return 1;
}

/* [-0, +0, -] */
static bool is_failure(lua_State *L, int index) {
  if (!lua_istable(L, index) || !lua_getmetatable(L, index)) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, sl_vm_of(L)->testing.failure_mark);
  bool is = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return is;
}

static int check_failure(lua_State *L) {
  lua_settop(L, 1);
  lua_pushboolean(L, is_failure(L, 1));
  return 1;
}

/* errorText(value): the text of an error value that has `__tostring`; nothing for other values. */
static int error_text(lua_State *L) {
  luaL_checkany(L, 1);
  return sl_push_error_text(L, 1) ? 1 : 0;
}

static int failure_text(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushliteral(L, "message");
  lua_rawget(L, 1);
  return 1;
}

/* ---- Failure tables -------------------------------------------------------------------------------------------------- */

/* The length of the prefix `script:line: ` of a message; 0 if it has none. */
static size_t position_length(const char *text, size_t length) {
  const char *end = memchr(text, '\n', length);
  end = end == NULL ? text + length : end;
  for (const char *at = text; at + 1 < end; at++) {
    if (at[0] != ':' || at[1] != ' ') continue;
    const char *digits = at;
    while (digits > text && digits[-1] >= '0' && digits[-1] <= '9') digits--;
    bool is_position = digits < at && digits > text + 1 && digits[-1] == ':';
    return is_position ? (size_t)(at + 2 - text) : 0;
  }
  return 0;
}

/* Whether the position at the start of a message is in a chunk of the prelude or the host that is on the stack. */
static bool is_hosts(lua_State *L, const char *text, size_t length) {
  lua_Debug frame;
  for (sl_levels levels = sl_levels_from(0); sl_next_level(L, &levels, &frame);) {
    lua_getinfo(L, "S", &frame);
    size_t name = frame.srclen > 0 ? frame.srclen - 1 : 0;
    if (frame.source[0] != '=' || frame.what[0] == 'C' || name == 0) continue;
    if (length > name && text[name] == ':' && memcmp(frame.source + 1, text, name) == 0) return true;
  }
  return false;
}

/* Sets `message` of the table at index 2 to the text on top of the stack. If the text has no position, or one in a chunk
 * of the prelude or the host, it gets the position of the innermost script. [-1, +0, m] */
static void set_message(lua_State *L) {
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  size_t position = position_length(text, length);
  if (position > 0 && is_hosts(L, text, length)) {
    lua_pushlstring(L, text + position, length - position);
    lua_remove(L, -2);
    position = 0;
  }
  if (position == 0) sl_add_position(L);
  lua_setfield(L, 2, "message");
}

static void set_text(lua_State *L, const char *name, const char *bytes, size_t length) {
  lua_pushlstring(L, bytes, length);
  lua_setfield(L, 2, name);
}

static void set_location(lua_State *L, const char *script, int line) {
  set_text(L, "script", script, strlen(script));
  lua_pushinteger(L, line);
  lua_setfield(L, 2, "line");
}

static const char *stop_kind(sl_stop_reason reason) {
  switch (reason) {
    case SL_STOP_TIME: return "timeout";
    case SL_STOP_INTERRUPT: return "interrupted";
    case SL_STOP_MEMORY:
    case SL_STOP_GROWTH: return "memory";
    default: return "error";
  }
}

/* Fills the failure table at index 2 for scripts that are being stopped. */
static void describe_stop(lua_State *L, sl_vm *vm) {
  sl_record_stop_location(vm, L);
  const sl_failure *stop = &vm->stop.failure;
  lua_pushstring(L, stop_kind(vm->stop.reason));
  lua_setfield(L, 2, "kind");
  if (stop->line > 0) {
    set_location(L, stop->script.bytes, stop->line);
    lua_pushfstring(L, "%s:%d: ", stop->script.bytes, stop->line);
  } else {
    lua_pushliteral(L, "");
  }
  sl_push_stop(L, vm);
  lua_concat(L, 2);
  lua_setfield(L, 2, "message");
  if (stop->traceback.count > 0) set_text(L, "traceback", stop->traceback.bytes, stop->traceback.count);
}

/* Pushes the text of the error value at index 1. Upvalue: the host function `format`. [-0, +1, e] */
static void push_text(lua_State *L) {
  if (lua_type(L, 1) == LUA_TSTRING) {
    lua_pushvalue(L, 1);
    return;
  }
  if (sl_push_error_text(L, 1)) return;
  lua_pushliteral(L, "error value: ");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  if (lua_type(L, -1) != LUA_TSTRING) {
    lua_pop(L, 1);
    sl_tolstring(L, 1, NULL);
  }
  lua_concat(L, 2);
}

/* The message handler: makes a failure table of the error value at index 1, while the stack of the error still exists. */
static int describe(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  lua_settop(L, 1);
  luaL_checkstack(L, 12, NULL);
  lua_createtable(L, 0, 6);
  if (vm->stop.reason) {
    describe_stop(L, vm);
    return 1;
  }
  lua_Debug frame;
  const char *script = sl_find_script(L, 1, &frame);
  if (script != NULL) set_location(L, script, frame.currentline);
  lua_pushstring(L, is_failure(L, 1) ? "failure" : "error");
  lua_setfield(L, 2, "kind");
  lua_pushvalue(L, 1);
  lua_setfield(L, 2, "value");
  luaL_traceback(L, L, NULL, 1);
  lua_setfield(L, 2, "traceback");
  push_text(L);
  if (vm->stop.reason) { /* `__tostring` or `format` was stopped */
    lua_settop(L, 2);
    describe_stop(L, vm);
    return 1;
  }
  set_message(L);
  return 1;
}

/* ---- Protected calls -------------------------------------------------------------------------------------------------- */

/* Bytes added to the memory limit of a spent VM, so that it can report its state. */
enum { RESERVE = 1 << 20 };

/* Collects garbage after an out-of-memory error. If most of the memory is still in use, marks the VM as spent and raises
 * its limit. [-0, +0, -] */
static void recover(lua_State *L, sl_vm *vm) {
  lua_gc(L, LUA_GCCOLLECT);
  size_t limit = vm->limits.memory;
  if (limit == 0 || vm->testing.is_spent || vm->memory.used < limit / 8 * 7) return;
  vm->testing.is_spent = true;
  sl_raise_memory_limit(vm, limit + limit / 4 + RESERVE);
}

/* protect(f, ...): true and the results of f(...), or false and a failure table. Upvalue: the host function `format`. */
static int protect(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  luaL_checkany(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, describe, 1);
  lua_insert(L, 1);
  sl_begin_protection(vm);
  int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 1);
  sl_end_protection(vm);
  if (status == LUA_ERRMEM || vm->stop.reason == SL_STOP_MEMORY) recover(L, vm);
  if (status != LUA_OK && !lua_istable(L, -1)) { /* the message handler did not run, or failed */
    lua_replace(L, 1);
    lua_settop(L, 1);
    lua_createtable(L, 0, 2);
    if (vm->stop.reason) {
      describe_stop(L, vm);
    } else {
      lua_pushvalue(L, 1);
      lua_setfield(L, 2, "message");
      lua_pushstring(L, status == LUA_ERRMEM ? "memory" : "error");
      lua_setfield(L, 2, "kind");
    }
  }
  sl_end_stop(L);
  if (status == LUA_OK) {
    lua_pushboolean(L, 1);
    lua_replace(L, 1);
    return lua_gettop(L);
  }
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

static int add_protect(lua_State *L) {
  const int *reference = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, *reference);
  lua_getfield(L, -1, "format");
  lua_pushcclosure(L, protect, 1);
  lua_setfield(L, -2, "protect");
  return 0;
}

int sl_add_protect(sl_vm *vm, int reference) { return sl_protect(vm, vm->L, add_protect, &reference); }

void sl_open_failures(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"failure", make_failure}, {"isFailure", check_failure}, {"errorText", error_text}, {NULL, NULL}};
  lua_createtable(L, 0, 3);
  lua_pushcfunction(L, failure_text);
  lua_setfield(L, -2, "__tostring");
  sl_lock_metatable(L, "failure");
  sl_vm_of(L)->testing.failure_mark = luaL_ref(L, LUA_REGISTRYINDEX);
  luaL_setfuncs(L, functions, 0);
}
