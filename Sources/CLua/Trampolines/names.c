/* The strings by which Lua finds metamethods. It keeps the addresses of them in its global state, and asks for a key by address. So a
 * name can be taken from scripts for good, and from Lua for as long as a stop lasts. */
#include <string.h>

#include "protect.h"

/* Registry keys: `__mode` as Lua knows it; the metatable of tables with weak keys. */
static const char mode_key = 0, weak_keys = 0;

/* ---- __mode ----------------------------------------------------------------------------------------------------------- */

/* Where the values of a weak table hold its keys, one collection looks at all of it again for each of them, and nothing can interrupt
 * that: 60,000 entries take ten seconds. As a name can be put into a metatable at any time, the string that Lua looks for is changed into one
 * that no script can make: its bytes are not what its hash says, so that it is never found among the strings that there are. */
void sl_hide_mode(sl_vm *vm) {
  static const char hidden[] = "\0mode\0";
  if (vm->mode_name == NULL) return;
  memcpy(vm->mode_name, hidden, sizeof hidden - 1);
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
    lua_pushlstring(L, "\0call\0", 6);
    lua_pushvalue(L, -1);
    char *name = (char *)lua_tostring(L, -1);
    luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pop(L, 1);
    memcpy(name, "\0none\0", 6);
    vm->no_string = (uintptr_t)name - distance;
    return;
  }
}

void sl_open_names(lua_State *L) {
  open_mode(L);
  find_call(sl_vm_of(L));
}
