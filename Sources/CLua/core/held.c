/* Short-lived references to the functions of runs: from the handler that returned a run until the body starts.
 *
 * Usually there is one function, for a moment. It is stored on the stack of a separate Lua thread, because storing and
 * removing it there costs a third of what it costs in the registry.
 *
 * Invariants:
 * 1. A reference r < LUA_NOREF means slot LUA_NOREF - r of `vm->held.thread`, from 1 to MOST_HELD. Any other one is a
 *    reference of the registry.
 * 2. Bit n of `vm->held.slots` is set while slot n is in use. The slots that are not in use hold nil.
 * 3. If all slots are in use, `sl_hold` uses the registry. */
#include "core/internal.h"

enum { MOST_HELD = 8 }; /* a Lua thread guarantees LUA_MINSTACK = 20 slots */

/* See invariant 1. */
static bool is_held(int reference) { return reference < LUA_NOREF; }
static int slot_of(int reference) { return LUA_NOREF - reference; }

int sl_hold(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  int slot = 1;
  while (slot <= MOST_HELD && (vm->held.slots >> slot & 1)) slot++;
  if (slot > MOST_HELD) return luaL_ref(L, LUA_REGISTRYINDEX);
  vm->held.slots |= 1u << slot;
  lua_xmove(L, vm->held.thread, 1);
  lua_replace(vm->held.thread, slot);
  return LUA_NOREF - slot;
}

void sl_push_reference(lua_State *L, int reference) {
  if (is_held(reference)) {
    lua_State *held = sl_vm_of(L)->held.thread;
    lua_pushvalue(held, slot_of(reference));
    lua_xmove(held, L, 1);
  } else {
    lua_rawgeti(L, LUA_REGISTRYINDEX, reference); /* LUA_NOREF pushes nil */
  }
}

void sl_unref(lua_State *L, int reference) {
  if (is_held(reference)) {
    sl_vm *vm = sl_vm_of(L);
    vm->held.slots &= ~(1u << slot_of(reference));
    lua_pushnil(vm->held.thread);
    lua_replace(vm->held.thread, slot_of(reference));
  } else {
    luaL_unref(L, LUA_REGISTRYINDEX, reference);
  }
}

void sl_open_held(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  vm->held.thread = lua_newthread(L);
  luaL_ref(L, LUA_REGISTRYINDEX);
  lua_settop(vm->held.thread, MOST_HELD);
}
