/* The sandbox: an allow-list of the stock libraries, copied into an environment for each module.
 *
 * The allowed functions are collected once per VM. Each module gets copies of the tables. So what it writes into `string`
 * or into its globals is invisible to other modules, and reading a global costs no more than in stock Lua. */
#include <limits.h>
#include <string.h>
#include <time.h>

#include "coroutines/internal.h"
#include "sandbox/internal.h"

/* ---- What is allowed ------------------------------------------------------------------------------------------------ */

/* A function that only raises an error, which says what to use instead. */
typedef struct refusal {
  const char *name, *reason;
  const char *alone; /* the reason in a VM that runs no features, if that is another one */
} refusal;

typedef struct library {
  const char *name;
  const char *const *allowed;
  const luaL_Reg *own, *more;
  const refusal *refusals;
} library;

static const char *const base_allowed[] = {
    "_VERSION", "assert",   "collectgarbage", "error",  "getmetatable", "ipairs",   "load",   "next",   "pairs",
    "pcall",    "print",    "rawequal",       "rawget", "rawlen",       "rawset",   "select", "setmetatable",
    "tonumber", "tostring", "type",           "xpcall", NULL};

static const char *const string_allowed[] = {
    "byte", "char", "find",     "format", "gmatch",  "gsub", "len",    "lower", "match",
    "pack", "rep",  "packsize", "reverse", "sub", "unpack", "upper", NULL};

static const char *const table_allowed[] = {"concat", "insert", "move", "pack", "remove", "sort", "unpack", NULL};

static const char *const math_allowed[] = {
    "abs",  "acos",  "asin", "atan", "ceil",       "cos",  "deg",        "exp",  "floor", "fmod",      "huge", "log",
    "max",  "maxinteger", "min", "mininteger", "modf", "pi", "rad",  "sin",   "sqrt",      "tan",  "tointeger",
    "type", "ult",   NULL};

static const char *const utf8_allowed[] = {"char", "charpattern", "codepoint", "codes", "len", "offset", NULL};

static const char *const os_allowed[] = {"date", "difftime", "time", NULL};

#define OFFERED "the host can offer a function in its place"

static const refusal math_refusals[] = {
    {"random", "math.random differs from run to run; declare the dependency 'random' and use deps.random",
     "math.random differs from run to run; " OFFERED},
    {"randomseed", "math.randomseed is not available to scripts; declare the dependency 'random' and use deps.random",
     "math.randomseed is not available to scripts; " OFFERED},
    {NULL, NULL, NULL}};

static const refusal os_refusals[] = {
    {"clock", "os.clock() differs from run to run; declare the dependency 'clock' and use deps.clock.now()",
     "os.clock() differs from run to run; " OFFERED},
    {NULL, NULL, NULL}};

static const refusal time_refusal = {
    "time", "os.time() differs from run to run; declare the dependency 'date' and use deps.date.now()",
    "os.time() differs from run to run; " OFFERED};

static const refusal date_refusal = {
    "date", "os.date() of now differs from run to run; declare the dependency 'date' and give os.date the time deps.date.now()",
    "os.date() of now differs from run to run; the host can offer a function that returns the time to give to os.date"};

/* ---- Replacements that have no file of their own --------------------------------------------------------------------- */

static const char *reason_of(lua_State *L, const refusal *refusal) {
  return refusal->alone != NULL && !sl_vm_of(L)->sandbox.runs_features ? refusal->alone : refusal->reason;
}

static int refuse(lua_State *L) {
  return luaL_error(L, "%s", reason_of(L, (const refusal *)lua_touserdata(L, lua_upvalueindex(1))));
}

static int only_count(lua_State *L) {
  const char *option = luaL_optstring(L, 1, "collect");
  if (strcmp(option, "count") != 0) {
    return luaL_error(L, "collectgarbage(\"%s\") is not available to scripts, only \"count\" is", option);
  }
  return sl_stock(L);
}

/* Stock Lua reports nil only in the loop, as an argument of an iterator that the script does not name. */
static int iterate(lua_State *L, const char *name) {
  if (lua_type(L, 1) == LUA_TNIL) {
    return luaL_error(L, "bad argument #1 to '%s' (table expected, got nil); is the name misspelt, or the value not there yet? "
                         "'%s(list or {})' also takes nil", name, name);
  }
  if (sl_is_null(L, 1)) {
    return luaL_error(L, "bad argument #1 to '%s' (table expected, got null); ask scripted.isNull(value) first", name);
  }
  return sl_stock(L);
}

static int iterate_ipairs(lua_State *L) { return iterate(L, "ipairs"); }
static int iterate_pairs(lua_State *L) { return iterate(L, "pairs"); }

/* Reads an integer field of the table at index 1 and subtracts `base`. `missing` replaces a missing field; INT_MIN means
 * that the field is required. */
static int date_field(lua_State *L, const char *name, int missing, int base) {
  int is_integer, type = lua_getfield(L, 1, name);
  lua_Integer value = lua_tointegerx(L, -1, &is_integer);
  lua_pop(L, 1);
  if (type == LUA_TNIL) {
    if (missing == INT_MIN) return luaL_error(L, "field '%s' missing in date table", name);
    return missing - base;
  }
  if (!is_integer) return luaL_error(L, "field '%s' is not an integer", name);
  if (value > (lua_Integer)INT_MAX + base || value < (lua_Integer)INT_MIN + base) {
    return luaL_error(L, "field '%s' is out-of-bound", name);
  }
  return (int)(value - base);
}

static void set_date_field(lua_State *L, const char *name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, 1, name);
}

/* Refuses os.time(), which depends on the current time. The fields are in UTC, so that a table means the same time on
 * every host. A plain table is normalised in place, as by the stock function. A draft is only read, because os.time
 * should not write to the state. */
static int os_time(lua_State *L) {
  if (lua_isnoneornil(L, 1)) {
    return luaL_error(L, "%s", reason_of(L, &time_refusal));
  }
  bool is_draft = sl_live_ref(L, 1) != NULL;
  if (!is_draft) luaL_checktype(L, 1, LUA_TTABLE);
  struct tm date = {0};
  date.tm_year = date_field(L, "year", INT_MIN, 1900);
  date.tm_mon = date_field(L, "month", INT_MIN, 1);
  date.tm_mday = date_field(L, "day", INT_MIN, 0);
  date.tm_hour = date_field(L, "hour", 12, 0);
  date.tm_min = date_field(L, "min", 0, 0);
  date.tm_sec = date_field(L, "sec", 0, 0);
  date.tm_wday = -1; /* `timegm` changes it only on success; its result -1 is also the last second of 1969 */
  time_t time = timegm(&date);
  if (date.tm_wday < 0) return luaL_error(L, "time result cannot be represented in this installation");
  if (!is_draft) {
    set_date_field(L, "year", (lua_Integer)date.tm_year + 1900);
    set_date_field(L, "month", (lua_Integer)date.tm_mon + 1);
    set_date_field(L, "day", date.tm_mday);
    set_date_field(L, "hour", date.tm_hour);
    set_date_field(L, "min", date.tm_min);
    set_date_field(L, "sec", date.tm_sec);
    set_date_field(L, "yday", (lua_Integer)date.tm_yday + 1);
    set_date_field(L, "wday", (lua_Integer)date.tm_wday + 1);
    lua_pushboolean(L, false);
    lua_setfield(L, 1, "isdst");
  }
  lua_pushinteger(L, (lua_Integer)time);
  return 1;
}

/* In bytes. Lua calls the C library for each `%` in the format. */
enum { LONGEST_DATE_FORMAT = 1000 };

/* Always in UTC, as with `!` in front, because hosts have different time zones. */
static int os_date(lua_State *L) {
  size_t length;
  const char *format = luaL_optlstring(L, 1, "%c", &length);
  luaL_argcheck(L, length <= LONGEST_DATE_FORMAT, 1, "the format is too long");
  if (lua_isnoneornil(L, 2)) {
    return luaL_error(L, "%s", reason_of(L, &date_refusal));
  }
  if (*format != '!') {
    luaL_Buffer utc;
    luaL_buffinit(L, &utc);
    luaL_addchar(&utc, '!');
    luaL_addlstring(&utc, format, length);
    luaL_pushresult(&utc);
    lua_replace(L, 1);
  }
  return sl_stock(L);
}

/* The message handler that `xpcall` gets. Upvalue: the handler of the script. An error that the hook has raised runs it
 * inside the hook, where hooks are disabled. A handler that never ends could not be stopped there, so it is not called.
 * Neither is it called for the error of its own wait: it would wait again, until the stack overflows. */
static int handle_unless_stopping(lua_State *L) {
  const sl_vm *vm = sl_vm_of(L);
  if (vm->stop.reason || (vm->body.raises_in_hook && sl_is_cancelled(L, 1))) return 1;
  if (lua_type(L, 1) == LUA_TSTRING && strstr(lua_tostring(L, 1), SL_WAITS_IN_XPCALL) != NULL) return 1;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

int sl_xpcall(lua_State *L) {
  if (lua_isfunction(L, 2)) {
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, handle_unless_stopping, 1);
    lua_replace(L, 2);
  }
  return sl_stock(L);
}

static const luaL_Reg base_functions[] = {{"collectgarbage", only_count},
                                          {"ipairs", iterate_ipairs},
                                          {"pairs", iterate_pairs},
                                          {"print", sl_print},
                                          {"tostring", sl_tostring},
                                          {"xpcall", sl_xpcall},
                                          {NULL, NULL}};

static const luaL_Reg os_functions[] = {{"date", os_date}, {"time", os_time}, {NULL, NULL}};

static const library libraries[] = {
    {LUA_GNAME, base_allowed, base_functions, sl_base_functions, NULL},
    {LUA_STRLIBNAME, string_allowed, sl_text_functions, sl_pattern_functions, NULL},
    {LUA_TABLIBNAME, table_allowed, sl_table_functions, NULL, NULL},
    {LUA_MATHLIBNAME, math_allowed, NULL, NULL, math_refusals},
    {LUA_UTF8LIBNAME, utf8_allowed, NULL, NULL, NULL},
    {LUA_OSLIBNAME, os_allowed, os_functions, NULL, os_refusals},
};

/* ---- Undeclared globals ----------------------------------------------------------------------------------------------- */

/* Globals of stock Lua that scripts do not have. The message says so, rather than that the name is misspelt. */
static const refusal absent_globals[] = {
    {"_G", "a module's globals are its own", NULL},
    {"coroutine", "effects wait by themselves: use effect.run", "the host can run a function as a coroutine"},
    {"debug", "it would open the sandbox", NULL},
    {"dofile", "use require", NULL},
    {"io", "use a dependency", "the host can offer functions in its place"},
    {"loadfile", "use require", NULL},
    {"loadstring", "use load", NULL},
    {"package", "use require", NULL},
    {"unpack", "use table.unpack", NULL},
    {NULL, NULL, NULL}};

/* The names that parameters of handlers and effects have, and where they come from. */
static const refusal parameters[] = {
    {"action", "the second argument of a handler: function(state, action, deps)", NULL},
    {"deps", "the third argument of a handler, function(state, action, deps), and the second of an effect, "
             "effect.run(function(send, deps) … end)", NULL},
    {"ids", "the fourth argument of a handler whose pattern has [*]: function(state, action, deps, ids)", NULL},
    {"send", "the first argument of an effect, effect.run(function(send, deps) … end); a handler returns effect.send(…)", NULL},
    {"state", "the first argument of a handler or a view: function(state, action, deps)", NULL},
    {"store", "a local of a test: local store = test.store(Feature); a handler returns effect.send(…)", NULL},
    {NULL, NULL, NULL}};

static int undeclared_read(lua_State *L) {
  const char *name = sl_tolstring(L, 2, NULL);
  for (const refusal *absent = absent_globals; absent->name != NULL; absent++) {
    if (strcmp(name, absent->name) == 0) {
      return luaL_error(L, "global '%s' is not available to scripts; %s", name, reason_of(L, absent));
    }
  }
  bool runs_features = sl_vm_of(L)->sandbox.runs_features;
  for (const refusal *parameter = parameters; runs_features && parameter->name != NULL; parameter++) {
    if (strcmp(name, parameter->name) == 0) {
      return luaL_error(L, "global '%s' is not declared; %s is %s", name, name, parameter->reason);
    }
  }
  return luaL_error(L, "global '%s' is not declared; is it misspelt, or declared as a local further down?", name);
}

static int undeclared_write(lua_State *L) {
  const char *name = sl_tolstring(L, 2, NULL);
  return luaL_error(L, "global '%s' is not declared; use 'local %s%s'", name, lua_isfunction(L, 3) ? "function " : "", name);
}

/* ---- Set-up ---------------------------------------------------------------------------------------------------------- */

/* Registry keys: the allowed functions and libraries; the metatable of environments; the metatable of environments whose
 * scripts may declare globals; the globals of the host. */
static const char allowed_key = 0, strict_key = 0, open_key = 0, shared_key = 0;

void sl_replace(lua_State *L, const luaL_Reg *own) {
  for (; own != NULL && own->name != NULL; own++) {
    lua_getfield(L, -1, own->name);
    lua_pushcclosure(L, own->func, 1);
    lua_setfield(L, -2, own->name);
  }
}

/* Replaces the stock library on top of the stack by a table of its allowed functions. [-1, +1, m] */
static void allow(lua_State *L, const library *library) {
  lua_newtable(L);
  for (const char *const *name = library->allowed; *name != NULL; name++) {
    lua_getfield(L, -2, *name);
    lua_setfield(L, -2, *name);
  }
  sl_replace(L, library->own);
  sl_replace(L, library->more);
  for (const refusal *refusal = library->refusals; refusal != NULL && refusal->name != NULL; refusal++) {
    lua_pushlightuserdata(L, (void *)refusal);
    lua_pushcclosure(L, refuse, 1);
    lua_setfield(L, -2, refusal->name);
  }
  lua_remove(L, -2);
}

/* The methods of strings come from a table that no script can reach. Scripts cannot read or replace the metatable of
 * strings. */
static void lock_strings(lua_State *L) {
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &allowed_key);
  lua_getfield(L, -1, LUA_STRLIBNAME);
  lua_setfield(L, -3, "__index");
  lua_pop(L, 1);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
}

void sl_open_sandbox(lua_State *L) {
  static const luaL_Reg strict[] = {{"__index", undeclared_read}, {"__newindex", undeclared_write}, {NULL, NULL}};
  static const luaL_Reg open[] = {{"__index", undeclared_read}, {NULL, NULL}};
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, LUA_GNAME);
  allow(L, &libraries[0]);
  lua_newtable(L); /* tracebacks look up the names of functions here, rather than in the stock libraries */
  for (size_t i = 1; i < sizeof libraries / sizeof *libraries; i++) {
    lua_getfield(L, -3, libraries[i].name);
    allow(L, &libraries[i]);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, libraries[i].name);
    lua_setfield(L, -3, libraries[i].name);
  }
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, LUA_GNAME);
  lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &allowed_key);
  lua_pop(L, 1);
  luaL_newlib(L, strict);
  sl_lock_metatable(L, NULL);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &strict_key);
  luaL_newlib(L, open);
  sl_lock_metatable(L, NULL);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &open_key);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &shared_key);
  lock_strings(L);
}

/* Copies the entries of the table on top of the stack into the table below it. With `deep`, tables among them are copied too.
 * [-1, +0, m] */
static void copy_entries(lua_State *L, bool deep) {
  int from = lua_gettop(L), into = from - 1;
  for (lua_pushnil(L); lua_next(L, from); lua_settop(L, from + 1)) {
    lua_pushvalue(L, -2);
    if (deep && lua_istable(L, -2)) {
      lua_createtable(L, 0, 32);
      lua_pushvalue(L, -3);
      copy_entries(L, false);
    } else {
      lua_pushvalue(L, -2);
    }
    lua_rawset(L, into);
  }
  lua_settop(L, into);
}

void sl_push_environment(lua_State *L) {
  lua_createtable(L, 0, 32);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &allowed_key);
  copy_entries(L, true);
  lua_getfield(L, -1, "load");
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, sl_load_text, 2);
  lua_setfield(L, -2, "load");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &shared_key);
  copy_entries(L, false);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &strict_key);
  lua_setmetatable(L, -2);
}

static int shared_body(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &shared_key);
  return 1;
}

int sl_shared_globals(sl_vm *vm, int *reference) { return sl_make_reference(vm, shared_body, NULL, reference); }

static int open_body(lua_State *L) {
  const int *reference = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, *reference);
  lua_pushliteral(L, LUA_GNAME);
  lua_pushvalue(L, -2);
  lua_rawset(L, -3);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &open_key);
  lua_setmetatable(L, -2);
  return 0;
}

int sl_allow_globals(sl_vm *vm, int reference) { return sl_protect(vm, vm->L, open_body, &reference); }

static int replaced_body(lua_State *L) {
  const int *reference = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, *reference);
  if (lua_getupvalue(L, -1, 1) == NULL) return luaL_error(L, "a stock function itself");
  return 1;
}

int sl_replaced(sl_vm *vm, int reference, int *stock) {
  return sl_make_reference(vm, replaced_body, &reference, stock);
}
