/* Asks a predicate about the elements of a list whose answers Swift does not know yet.
 *
 * Swift stores the answers. It gives one element at a time through the hook `candidate`, which also takes the answer about the
 * element before: so no function of Swift is on the stack while the predicate runs, which may raise. */
#include "core/internal.h"
#include "drafts/internal.h"
#include "limits/internal.h"
#include "values/internal.h"
#include "views/internal.h"

/* Asks a referenced predicate about all candidates. */
static int ask(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  const int *reference = lua_touserdata(L, 1);
  sl_value element;
  bool matches = false;
  while (vm->hooks->candidate(vm->context, matches, &element)) {
    sl_poll(L, vm);
    lua_rawgeti(L, LUA_REGISTRYINDEX, *reference);
    sl_push_value(L, &element);
    lua_call(L, 1, 1);
    matches = lua_toboolean(L, -1);
    lua_pop(L, 1);
  }
  return 0;
}

int sl_native_count_matches(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  lua_settop(L, 2);
  const sl_ref *ref = sl_to_ref(L, 1);
  if (ref == NULL || ref->kind != SL_TAG_VIEW || ref->slot == 0) return 0;
  ref = sl_check_ref(L, 1);
  int known = LUA_NOREF;
  if (!vm->hooks->remembers_matches(vm->context, ref, &known)) return 0;
  bool captures = (sl_note_captured(L, 2) & SL_CAPTURES_ARGUMENT) != 0, is_same = false;
  if (known != LUA_NOREF && !captures) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, known);
    is_same = sl_functions_are_same(L, 2, 3);
    lua_pop(L, 1);
  }
  lua_pushvalue(L, 2);
  int predicate = luaL_ref(L, LUA_REGISTRYINDEX);
  vm->hooks->begin_matches(vm->context, ref, predicate, is_same);
  lua_pushcfunction(L, ask);
  lua_pushlightuserdata(L, &predicate);
  bool has_raised = lua_pcall(L, 1, 0, 0) != LUA_OK;
  lua_Integer count = vm->hooks->end_matches(vm->context, !has_raised);
  if (has_raised && vm->stop.reason != SL_STOP_NONE) return lua_error(L); /* scripts must not survive a stop */
  if (has_raised) return 0;
  lua_pushinteger(L, count);
  return 1;
}

int sl_ask_predicate(sl_vm *vm, lua_State *L, int reference) { return sl_protect(vm, L, ask, &reference); }
