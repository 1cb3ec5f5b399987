/* Asks a predicate about the elements of a list whose answers Swift does not know yet.
 *
 * Swift stores the answers. It gives one element at a time through the hook `candidate`, which also takes the answer about the
 * element before: so no function of Swift is on the stack while the predicate runs, which may raise. */
#include "core/internal.h"
#include "core/protect.h"
#include "limits/internal.h"
#include "values/internal.h"

static int match_body(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  const int *reference = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, *reference);
  sl_value element;
  bool matches = false;
  while (vm->hooks->candidate(vm->context, matches, &element)) {
    sl_poll(L, vm);
    lua_pushvalue(L, -1);
    sl_push_value(L, &element);
    lua_call(L, 1, 1);
    matches = lua_toboolean(L, -1);
    lua_pop(L, 1);
  }
  return 0;
}

int sl_ask_predicate(sl_vm *vm, lua_State *L, int reference) { return sl_protect(vm, L, match_body, &reference); }
