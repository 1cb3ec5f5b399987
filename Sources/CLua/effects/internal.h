/* What other folders use of effects/. */
#ifndef CLUA_EFFECTS_INTERNAL_H
#define CLUA_EFFECTS_INTERNAL_H

#include "clua.h"

/* Adds the functions that make effects to the table on top of the stack. [-0, +0, m] */
void sl_open_effects(lua_State *L);
/* A body's send(action, payload?). Upvalue: the serial number of the body. */
int sl_send_action(lua_State *L);
/* try(f, ...), for `effect.result`: faults.c. [-?, +?, e] */
int sl_native_try(lua_State *L);
/* Makes a box for the sl_run, which is used as that effect from now on. Returns its object, borrowed (+0). [-0, +0, e] */
void *sl_box_run(lua_State *L, int index, sl_run *run);

#endif
