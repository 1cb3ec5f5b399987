/* What other folders use of testing/. */
#ifndef CLUA_TESTING_INTERNAL_H
#define CLUA_TESTING_INTERNAL_H

#include "clua.h"

/* Adds `failure`, `isFailure` and `errorText` to the table on top of the stack. [-0, +0, m] */
void sl_open_failures(lua_State *L);
void sl_count_line(lua_State *L, lua_Debug *activation); /* [-0, +0, -] */
void sl_free_testing(sl_testing *testing); /* [-0, +0, -] */

#endif
