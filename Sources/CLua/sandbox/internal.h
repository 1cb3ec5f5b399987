/* What other folders use of sandbox/, and what its files share.
 *
 * A replacement of a stock function is a closure whose first upvalue is the stock function. In the cases that it does not
 * handle itself, it runs the stock function in its own frame. So messages ("bad argument #2 to 'insert'") and positions
 * are exactly those of Lua, at the cost of one indirect call. */
#ifndef CLUA_SANDBOX_INTERNAL_H
#define CLUA_SANDBOX_INTERNAL_H

#include "core/internal.h"
#include "drafts/internal.h"
#include "limits/internal.h"
#include "values/internal.h"

/* `sl_open_sandbox` sets up the parts that all environments of a VM share. `sl_push_environment` pushes a new
 * environment with its own copies of the allowed globals and library tables. [-0, +0, m] and [-0, +1, m] */
void sl_open_sandbox(lua_State *L);
void sl_push_environment(lua_State *L);

/* Whether the value at `index` is a record of `sl_new_sealed`: the only userdata that is no box and has a box in its
 * first user value. [-0, +0, -] */
bool sl_is_sealed(lua_State *L, int index);

/* Pushes the result of `tostring` for the value at `index`, without addresses. [-0, +1, e] */
const char *sl_tolstring(lua_State *L, int index, size_t *length);

/* Continues as the stock function, with the arguments on the stack. */
static inline int sl_stock(lua_State *L) {
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* Puts replacements, if there are any, into the library on top of the stack. Each gets the function that it replaces as upvalue.
 * [-0, +0, m] */
void sl_replace(lua_State *L, const luaL_Reg *own);

/* The draft or view at `index`; null for anything else. Raises if it is dead. [-0, +0, e] */
static inline sl_ref *sl_live_ref(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || sl_to_ref(L, index) == NULL) return NULL;
  return sl_check_ref(L, index);
}

/* Replacements, each under the name of its stock function. */
extern const luaL_Reg sl_base_functions[];
extern const luaL_Reg sl_table_functions[];
extern const luaL_Reg sl_text_functions[];
extern const luaL_Reg sl_pattern_functions[];

/* The table library for plain tables, and `string.rep`. The first upvalue is the stock function. `sl_list_concat` takes
 * tables of the state as well. */
int sl_list_concat(lua_State *L);
int sl_string_rep(lua_State *L);
int sl_plain_insert(lua_State *L);
int sl_plain_move(lua_State *L);
int sl_plain_remove(lua_State *L);
int sl_plain_sort(lua_State *L);
int sl_plain_unpack(lua_State *L);

/* Stops scripts if a string of `length` bytes exceeds the limit. [-0, +0, v] */
void sl_check_length(lua_State *L, size_t length);

int sl_native_find(lua_State *L);      /* find(list, id, idKey): position or nil */
int sl_native_rearrange(lua_State *L); /* rearrange(list, elements) */

int sl_tostring(lua_State *L);
int sl_print(lua_State *L);
/* Writes the arguments of a function as one line. `push` pushes the text of the argument at an index. [-0, +0, e] */
void sl_write_line(lua_State *L, void (*push)(lua_State *L, int index));
/* Writes to the output of the test, or to standard error if no test runs. [-0, +0, m] */
void sl_write_output(lua_State *L, const char *bytes, size_t length);
/* The `xpcall` whose message handler is not called while scripts are being stopped. */
int sl_xpcall(lua_State *L);

#endif
