/* What the C files of the sandbox share with each other.
 *
 * An own version of a stock function is a closure whose first upvalue is the stock one. For what it does not treat
 * itself it runs the stock function in its own frame, so that messages ("bad argument #2 to 'insert'") and positions
 * are exactly Lua's, at the price of one indirect call. */
#ifndef SL_SANDBOX_H
#define SL_SANDBOX_H

#include "clua.h"

/* Goes on as the stock function that this one replaces, with the arguments that are on the stack. */
static inline int sl_stock(lua_State *L) {
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* The draft or view at `index`, or null for anything else; raises if it is dead. [-0, +0, e] */
static inline sl_ref *sl_live_ref(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || sl_to_ref(L, index) == NULL) return NULL;
  return sl_check_ref(L, index);
}

/* Own versions, each under the name of the stock function that it replaces. */
extern const luaL_Reg sl_base_functions[];
extern const luaL_Reg sl_table_functions[];
extern const luaL_Reg sl_text_functions[];
extern const luaL_Reg sl_pattern_functions[];


/* The table library for plain tables, and `string.rep`: the stock function is the first upvalue. */
int sl_string_rep(lua_State *L);
int sl_plain_concat(lua_State *L);
int sl_plain_insert(lua_State *L);
int sl_plain_move(lua_State *L);
int sl_plain_remove(lua_State *L);
int sl_plain_sort(lua_State *L);
int sl_plain_unpack(lua_State *L);

/* Stops the scripts if a string would be longer than one may be. [-0, +0, v] */
void sl_check_length(lua_State *L, size_t length);

/* A module's `load`. Upvalue 2: its environment. */
int sl_load_text(lua_State *L);

/* Pushes what `tostring` says of the value at `index`, without addresses. [-0, +1, e] */
const char *sl_tolstring(lua_State *L, int index, size_t *length);

/* `tostring` and `print`, which go through it. */
int sl_tostring(lua_State *L);
int sl_print(lua_State *L);

#endif
