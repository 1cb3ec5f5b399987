/* Coroutines that Swift resumes, and the bodies of effects that run in them. */
#ifndef CLUA_COROUTINES_H
#define CLUA_COROUTINES_H

#include "vm.h"

/* Makes a Lua thread that will run the referenced function. `*reference` anchors it; `*thread` is the thread itself. */
int sl_thread_new(sl_vm *vm, int function, int *reference, lua_State **thread);
/* Starts or resumes it. LUA_OK: it has finished; LUA_YIELD: it waits; both with `*results` values on vm->tape. Otherwise
 * see vm->failure. */
int sl_resume(sl_vm *vm, lua_State *thread, const sl_value *tape, int arguments, int *results);
/* Ends a waiting Lua thread and closes its `<close>` variables. */
int sl_thread_close(sl_vm *vm, lua_State *thread);

/* ---- Bodies of effects --------------------------------------------------------------------------------------------- */

/* How a wait ends. */
#define SL_RESUME_VALUES 0
#define SL_RESUME_ERROR 1     /* raises the message of `sl_set_error`, preceded by the position in the script */
#define SL_RESUME_VALUE 2     /* raises the value that was passed */
#define SL_RESUME_CANCELLED 3

/* The outcome of a start or resumption of a body. */
#define SL_BODY_WAITING 0
#define SL_BODY_FINISHED 1
#define SL_BODY_CANCELLED 2 /* effect.cancelled was raised and nothing caught it */
#define SL_BODY_FAILED 3    /* see vm->failure; the error value also as a registry reference (+1) */
#define SL_BODY_SUSPENDED 4 /* its slice has ended; pass vm->use to `sl_charge_turn` when it is resumed */

/* The functions of a body, as references; LUA_NOREF where there is none. With `owns`, they may come from `sl_hold`. */
typedef struct sl_body {
  int function, catching, dependencies;
  bool owns;            /* `function` and `catching` are released when the body starts */
  uint64_t serial;      /* the number that `send` passes to Swift; 0: the function gets no arguments */
} sl_body;

/* Makes a Lua thread that runs bodies one after another. */
int sl_body_thread(sl_vm *vm, int *reference, lua_State **thread);
/* Starts a body and runs it to its first wait. Returns a Lua status; with LUA_OK also `*outcome`. After any other status
 * the Lua thread cannot be used again. */
int sl_body_start(sl_vm *vm, lua_State *thread, sl_body *body, int *outcome, int *raised);
/* Resumes a body after a wait, or after the end of its slice. */
int sl_body_resume(sl_vm *vm, lua_State *thread, int resumption, const sl_value *tape, int count, int *outcome, int *raised);
/* The chunk name and first line of the outermost script function on a body's Lua thread, or null. [-0, +0, -] */
const char *sl_body_definition(lua_State *thread, int *line);
/* Whether the referenced function is the `sleep` of a clock. `*clock` is the object of that clock, borrowed (+0); null
 * for the store's clock. [-0, +0, -] */
bool sl_is_clock_sleep(sl_vm *vm, int function, void **clock);

/* Whether the calling function may wait. If not, the message is in `sl_vm.error`. [-0, +0, -] */
bool sl_can_wait(lua_State *L, const char *name);

#endif
