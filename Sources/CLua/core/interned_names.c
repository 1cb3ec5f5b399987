/* The strings by which Lua finds metamethods. Lua stores their addresses in its global state, and compares keys by
 * address. So a name can be hidden from scripts for good, and from Lua for as long as a stop lasts.
 *
 * There is no way without them. A script can add `__mode` to a metatable at any time, by an assignment that calls no
 * function of ours, and the collector that then reads it cannot be interrupted. Lua follows `__call` from value to value
 * within one instruction, so that no hook runs. In a build of Lua where `__call` is not found, such a chain ends only at
 * the limit of the stack. */
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

#include "core/internal.h"

/* Registry keys: the string `__mode` that Lua compares with; the metatables of tables with weak keys and values. */
static const char mode_key = 0, weak_keys = 0, weak_values = 0;

/* Fills `bytes` with random bytes that are not zero. [-0, +0, -] */
static void fill_at_random(char *bytes, size_t count) {
  memset(bytes, 0xFF, count);
  (void)!getentropy(bytes, count); /* getentropy fails only for more than 256 bytes, or without support in the kernel */
  for (size_t i = 0; i < count; i++) {
    if (bytes[i] == 0) bytes[i] = 1;
  }
}

/* ---- __mode ----------------------------------------------------------------------------------------------------------- */

/* If the values of a table with weak keys refer to its keys, one collection scans the whole table again for each of them:
 * 60,000 entries take ten seconds. So this overwrites the string that Lua compares with by random bytes that no script can
 * guess.
 *
 * None of these bytes is zero. Lua caches the strings that C made last and compares them with strcmp, so it would take a
 * string that begins with zero for the empty string. */
void sl_hide_mode(sl_vm *vm) {
  if (vm->internals.mode_name == NULL) return;
  fill_at_random(vm->internals.mode_name, sizeof "__mode" - 1);
  vm->internals.mode_name = NULL;
}

/* Stores the metatable of weak tables under a registry key. [-0, +0, m] */
static void open_weak(lua_State *L, const char *mode, const char *key) {
  lua_createtable(L, 0, 2);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &mode_key);
  lua_pushstring(L, mode);
  lua_rawset(L, -3);
  sl_lock_metatable(L, NULL);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

static void open_mode(lua_State *L) {
  lua_pushliteral(L, "__mode");
  sl_vm_of(L)->internals.mode_name = (char *)lua_tostring(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &mode_key);
  open_weak(L, "k", &weak_keys);
  open_weak(L, "v", &weak_values);
}

/* Pushes an empty table with the metatable under a registry key. [-0, +1, m] */
static void push_weak(lua_State *L, const char *key) {
  lua_newtable(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  lua_setmetatable(L, -2);
}

void sl_push_weak_keys(lua_State *L) { push_weak(L, &weak_keys); }
void sl_push_weak_values(lua_State *L) { push_weak(L, &weak_values); }

/* weakKeys(): a table with weak keys, for the prelude. */
int sl_native_weak_keys(lua_State *L) {
  sl_push_weak_keys(L);
  return 1;
}

/* ---- __call ----------------------------------------------------------------------------------------------------------- */

/* If tables form a circle by `__call`, Lua follows it for minutes and moves the stack each time. Only a missing `__call` can
 * end it, so its string must be found: in the global state, between its neighbours. The distance between the address of a
 * string and its bytes differs between builds of Lua, so every distance is tried. */
static void find_call(sl_vm *vm) {
  static const char *const names[] = {"__concat", "__call", "__close"};
  enum { NAMES = sizeof names / sizeof *names, FARTHEST = 64 };
  lua_State *L = vm->L;
  uintptr_t bytes[NAMES];
  for (int i = 0; i < NAMES; i++) {
    lua_pushstring(L, names[i]);
    bytes[i] = (uintptr_t)lua_tostring(L, -1);
  }
  lua_pop(L, NAMES);
  uintptr_t *words = vm->internals.state;
  size_t count = vm->internals.state_size / sizeof *words;
  for (size_t at = 0; at + NAMES <= count; at++) {
    uintptr_t distance = bytes[0] - words[at];
    if (distance == 0 || distance > FARTHEST) continue;
    if (bytes[1] - words[at + 1] != distance || bytes[2] - words[at + 2] != distance) continue;
    vm->internals.call_name = &words[at + 1];
    vm->internals.call_string = words[at + 1];
    /* a string that is no key of a script's metatable */
    char name[16];
    fill_at_random(name, sizeof name);
    vm->internals.no_string = (uintptr_t)lua_pushlstring(L, name, sizeof name) - distance;
    luaL_ref(L, LUA_REGISTRYINDEX);
    return;
  }
}

void sl_open_names(lua_State *L) {
  open_mode(L);
  find_call(sl_vm_of(L));
}
