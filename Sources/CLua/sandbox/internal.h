/* What other folders use of sandbox/. */
#ifndef CLUA_SANDBOX_INTERNAL_H
#define CLUA_SANDBOX_INTERNAL_H

#include "clua.h"

/* `sl_open_sandbox` sets up the parts that all environments of a VM share. `sl_push_environment` pushes a new
 * environment with its own copies of the allowed globals and library tables. [-0, +0, m] and [-0, +1, m] */
void sl_open_sandbox(lua_State *L);
void sl_push_environment(lua_State *L);

/* Whether the value at `index` is a record of `sl_new_sealed`: the only userdata that is no box and has a box in its
 * first user value. [-0, +0, -] */
bool sl_is_sealed(lua_State *L, int index);

/* Pushes the result of `tostring` for the value at `index`, without addresses. [-0, +1, e] */
const char *sl_tolstring(lua_State *L, int index, size_t *length);

#endif
