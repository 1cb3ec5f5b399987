/* What Swift asks of Lua to draw a screen: views, and the predicates that choose rows. */
#ifndef CLUA_VIEWS_H
#define CLUA_VIEWS_H

#include "vm.h"

/* Calls a referenced view with `count` values, and writes what it returns onto vm->tapes.to_swift as SL_TAG_NODE, or SL_TAG_NULL
 * for nil and false. Returns a Lua status, and fills vm->failure if it is not LUA_OK. [-0, +0, -] */
int sl_view(sl_vm *vm, lua_State *L, int reference, const sl_value *arguments, int count);
/* Calls a referenced predicate for each element that the hook `candidate` gives. Returns a Lua status. [-0, +0, -] */
int sl_ask_predicate(sl_vm *vm, lua_State *L, int reference);
/* Whether two referenced functions do the same: they have the same code, and equal values in their upvalues. A table equals
 * only itself, a view of a state one of the same value. Costs the code's length. [-0, +0, -] */
bool sl_same_function(sl_vm *vm, int a, int b);

#endif
