/* Stock globals for a VM that tests a plain Lua library.
 *
 * `sl_open_plain` undoes for one VM what the sandbox changes in Lua's own tables: the registry's table of loaded modules
 * and the metatable of strings. It is called before any script runs, and never for a VM of features. Four things differ
 * from stock Lua, because the runner must keep control:
 *
 * 1. A coroutine that is resumed becomes `sl_vm.running`, so that a stop reaches it.
 * 2. The message handler of `xpcall` is not called while scripts are being stopped.
 * 3. What goes to standard output is part of the test's output, because standard output is for the report.
 * 4. `os.exit` raises. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "core/internal.h"
#include "coroutines/internal.h"
#include "sandbox/internal.h"

/* ---- Coroutines ------------------------------------------------------------------------------------------------------ */

/* Calls the stock function, while `thread` is the one that runs. */
static int stock_inside(lua_State *L, lua_State *thread) {
  sl_vm *vm = sl_vm_of(L);
  lua_State *outer = sl_enter_thread(vm, thread);
  int results = sl_stock(L);
  sl_leave_thread(vm, outer);
  return results;
}

/* coroutine.resume. The stock function raises only for an argument that is no coroutine, and catches what the coroutine
 * raises. So the thread that runs is restored in any case. */
static int resume(lua_State *L) {
  lua_State *thread = lua_tothread(L, 1);
  return thread == NULL ? sl_stock(L) : stock_inside(L, thread);
}

static bool is_suspended_or_dead(lua_State *L, lua_State *thread) {
  lua_Debug frame;
  if (thread == L) return false;
  return lua_status(thread) != LUA_OK || !lua_getstack(thread, 0, &frame);
}

/* coroutine.close. The stock function raises for a coroutine that runs, which has no variables to close. */
static int close_coroutine(lua_State *L) {
  lua_State *thread = lua_tothread(L, 1);
  return thread == NULL || !is_suspended_or_dead(L, thread) ? sl_stock(L) : stock_inside(L, thread);
}

/* The function that coroutine.wrap returns. Upvalues: the stock `resume`; the coroutine. It raises after the thread that runs
 * is restored. */
static int call_wrapped(lua_State *L) {
  lua_State *thread = lua_tothread(L, lua_upvalueindex(2));
  sl_vm *vm = sl_vm_of(L);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_State *outer = sl_enter_thread(vm, thread);
  int results = sl_stock(L);
  bool has_failed = !lua_toboolean(L, -results);
  int status = lua_status(thread);
  if (has_failed && status != LUA_OK && status != LUA_YIELD) { /* an error inside of the coroutine */
    status = lua_resetthread(thread);
    lua_xmove(thread, L, 1);
  }
  sl_leave_thread(vm, outer);
  if (!has_failed) return results - 1;
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) { /* adds the position of the call */
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

/* coroutine.wrap. Upvalue: the stock `resume`. */
static int wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_State *thread = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, thread, 1);
  lua_pushcclosure(L, call_wrapped, 2);
  return 1;
}

/* ---- Output ---------------------------------------------------------------------------------------------------------- */

static void push_text(lua_State *L, int index) { luaL_tolstring(L, index, NULL); }

static int print(lua_State *L) {
  sl_write_line(L, push_text);
  return 0;
}

/* Writes the arguments from `first` on to the output of the test. Raises for one that is no text. [-0, +0, v] */
static void write_arguments(lua_State *L, int first) {
  int last = lua_gettop(L);
  for (int i = first; i <= last; i++) {
    size_t length;
    const char *bytes = luaL_checklstring(L, i, &length);
    sl_write_output(L, bytes, length);
  }
}

static bool is_standard_output(const luaL_Stream *stream) {
  return stream != NULL && stream->closef != NULL && stream->f == stdout;
}

/* The registry key of the default output file in Lua's liolib.c. */
static const char default_output[] = "_IO_output";

/* io.write */
static int write_default(lua_State *L) {
  int count = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, default_output);
  if (!is_standard_output(luaL_testudata(L, -1, LUA_FILEHANDLE))) {
    lua_settop(L, count);
    return sl_stock(L);
  }
  lua_insert(L, 1);
  write_arguments(L, 2);
  lua_settop(L, 1);
  return 1;
}

/* file:write */
static int write_file(lua_State *L) {
  if (!is_standard_output(luaL_testudata(L, 1, LUA_FILEHANDLE))) return sl_stock(L);
  write_arguments(L, 2);
  lua_settop(L, 1);
  return 1;
}

/* ---- The process ----------------------------------------------------------------------------------------------------- */

static int exit_process(lua_State *L) {
  if (lua_isnoneornil(L, 1)) return luaL_error(L, "os.exit() was called, which would end the test run");
  return luaL_error(L, "os.exit(%s) was called, which would end the test run", luaL_tolstring(L, 1, NULL));
}

/* sleep(seconds), which a signal of the watchdog ends early, so that a test can be stopped. */
static int sleep_for(lua_State *L) {
  double seconds = luaL_checknumber(L, 1);
  if (!(seconds > 0)) return 0;
  if (seconds > 1e8) seconds = 1e8;
  struct timespec left = {.tv_sec = (time_t)seconds};
  left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
  while (nanosleep(&left, &left) != 0 && errno == EINTR && sl_vm_of(L)->stop.reason == SL_STOP_NONE) continue;
  return 0;
}

static int read_clock(lua_State *L, clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  lua_pushnumber(L, (double)now.tv_sec + (double)now.tv_nsec / 1e9);
  return 1;
}
static int gettime(lua_State *L) { return read_clock(L, CLOCK_REALTIME); }
static int monotime(lua_State *L) { return read_clock(L, CLOCK_MONOTONIC); }

/* ---- Set-up ---------------------------------------------------------------------------------------------------------- */

static void replace_in(lua_State *L, const char *library, const luaL_Reg *functions) {
  lua_getfield(L, -1, library);
  sl_replace(L, functions);
  lua_pop(L, 1);
}

/* The methods of strings come from the stock table `string` again, which scripts may extend. */
static void unlock_strings(lua_State *L) {
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_getfield(L, -3, LUA_STRLIBNAME);
  lua_setfield(L, -2, "__index");
  lua_pushnil(L);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
}

static int plain_body(lua_State *L) {
  static const luaL_Reg base[] = {{"print", print}, {"xpcall", sl_xpcall}, {NULL, NULL}};
  static const luaL_Reg coroutines[] = {{"close", close_coroutine}, {"resume", resume}, {NULL, NULL}};
  static const luaL_Reg files[] = {{"write", write_file}, {NULL, NULL}};
  static const luaL_Reg input_output[] = {{"write", write_default}, {NULL, NULL}};
  static const luaL_Reg system[] = {{"exit", exit_process}, {NULL, NULL}};
  static const luaL_Reg natives[] = {
      {"sleep", sleep_for}, {"gettime", gettime}, {"monotime", monotime}, {NULL, NULL}};
  const int *reference = lua_touserdata(L, 1);
  lua_pushglobaltable(L);
  lua_getfield(L, -1, LUA_LOADLIBNAME);
  lua_getfield(L, -1, "loaded");
  lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pop(L, 1);
  unlock_strings(L);
  sl_replace(L, base);
  lua_getfield(L, -1, LUA_COLIBNAME);
  lua_getfield(L, -1, "resume");
  lua_pushcclosure(L, wrap, 1);
  lua_setfield(L, -2, "wrap");
  sl_replace(L, coroutines);
  lua_pop(L, 1);
  replace_in(L, LUA_IOLIBNAME, input_output);
  replace_in(L, LUA_OSLIBNAME, system);
  luaL_getmetatable(L, LUA_FILEHANDLE);
  replace_in(L, "__index", files);
  lua_pop(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, *reference);
  luaL_setfuncs(L, natives, 0);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "globals");
  return 0;
}

int sl_open_plain(sl_vm *vm, int natives) { return sl_protect(vm, vm->L, plain_body, &natives); }
