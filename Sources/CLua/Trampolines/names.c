/* The strings by which Lua finds metamethods. It keeps the addresses of them in its global state, and asks for a key by address. So a
 * name can be taken from scripts for good, and from Lua for as long as a stop lasts. */
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

#include "protect.h"

/* Registry keys: `__mode` as Lua knows it; the metatable of tables with weak keys. */
static const char mode_key = 0, weak_keys = 0;

/* Bytes that nobody can guess, none of them zero. [-0, +0, -] */
static void fill_at_random(char *bytes, size_t count) {
  memset(bytes, 0xFF, count);
  (void)!getentropy(bytes, count); /* it fails for more than 256 bytes only, and where a kernel has none */
  for (size_t i = 0; i < count; i++) {
    if (bytes[i] == 0) bytes[i] = 1;
  }
}

/* ---- __mode ----------------------------------------------------------------------------------------------------------- */

/* Where the values of a weak table hold its keys, one collection looks at all of it again for each of them, and nothing can interrupt
 * that: 60,000 entries take ten seconds. As a name can be put into a metatable at any time, the string that Lua looks for is changed into one
 * that no script can make, as nobody can guess its bytes. None of them is zero: Lua keeps the strings that C made last, finds them again with
 * strcmp, and would take one that begins with zero for the empty string. */
void sl_hide_mode(sl_vm *vm) {
  if (vm->mode_name == NULL) return;
  fill_at_random(vm->mode_name, sizeof "__mode" - 1);
  vm->mode_name = NULL;
}

static void open_mode(lua_State *L) {
  lua_pushliteral(L, "__mode");
  sl_vm_of(L)->mode_name = (char *)lua_tostring(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &mode_key);
  lua_createtable(L, 0, 2);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &mode_key);
  lua_pushliteral(L, "k");
  lua_rawset(L, -3);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &weak_keys);
}

void sl_push_weak_keys(lua_State *L) {
  lua_newtable(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &weak_keys);
  lua_setmetatable(L, -2);
}

/* weakKeys(): a table with weak keys, for the prelude. */
int sl_native_weak_keys(lua_State *L) {
  sl_push_weak_keys(L);
  return 1;
}

/* ---- __call ----------------------------------------------------------------------------------------------------------- */

/* Lua follows `__call` from table to table without an instruction in between, and moves the stack at each: for minutes, if they lead in a
 * circle. There is no name that could end it but the one that it looks for. It is found in the global state between its neighbours, at
 * whatever distance Lua keeps a string's bytes from its address. */
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
  uintptr_t *words = vm->state;
  size_t count = vm->state_size / sizeof *words;
  for (size_t at = 0; at + NAMES <= count; at++) {
    uintptr_t distance = bytes[0] - words[at];
    if (distance == 0 || distance > FARTHEST) continue;
    if (bytes[1] - words[at + 1] != distance || bytes[2] - words[at + 2] != distance) continue;
    vm->call_name = &words[at + 1];
    vm->call_string = words[at + 1];
    /* A string that no metatable of a script has for a key. */
    char name[16];
    fill_at_random(name, sizeof name);
    vm->no_string = (uintptr_t)lua_pushlstring(L, name, sizeof name) - distance;
    luaL_ref(L, LUA_REGISTRYINDEX);
    return;
  }
}

void sl_open_names(lua_State *L) {
  open_mode(L);
  find_call(sl_vm_of(L));
}
