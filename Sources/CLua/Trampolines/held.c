/* The functions of runs on their way from the handler that returned them to the thread that runs them. There is one of them as a rule, and
 * it is on its way for a moment, so they are on the stack of a thread of their own: to put one there and to take it costs a third of what
 * it costs in the registry. */
#include "protect.h"

enum { MOST_HELD = 8 }; /* a thread has room for more than twice as many */

/* A reference is below LUA_NOREF: LUA_NOREF - (its place on the stack). */
static bool is_held(int reference) { return reference < LUA_NOREF; }
static int place_of(int reference) { return LUA_NOREF - reference; }

int sl_hold(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  int place = 1;
  while (place <= MOST_HELD && (vm->held_places >> place & 1)) place++;
  if (place > MOST_HELD) return luaL_ref(L, LUA_REGISTRYINDEX);
  vm->held_places |= 1u << place;
  lua_xmove(L, vm->held, 1);
  lua_replace(vm->held, place);
  return LUA_NOREF - place;
}

void sl_push_reference(lua_State *L, int reference) {
  if (is_held(reference)) {
    lua_State *held = sl_vm_of(L)->held;
    lua_pushvalue(held, place_of(reference));
    lua_xmove(held, L, 1);
  } else {
    lua_rawgeti(L, LUA_REGISTRYINDEX, reference); /* LUA_NOREF gives nil */
  }
}

void sl_unref(lua_State *L, int reference) {
  if (is_held(reference)) {
    sl_vm *vm = sl_vm_of(L);
    vm->held_places &= ~(1u << place_of(reference));
    lua_pushnil(vm->held);
    lua_replace(vm->held, place_of(reference));
  } else {
    luaL_unref(L, LUA_REGISTRYINDEX, reference);
  }
}

void sl_open_held(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  vm->held = lua_newthread(L);
  luaL_ref(L, LUA_REGISTRYINDEX);
  lua_settop(vm->held, MOST_HELD);
}
