/* Coroutines that Swift resumes, and the bodies of effects that run in them. */
#ifndef CLUA_COROUTINES_H
#define CLUA_COROUTINES_H

#include <lua.h>

#include "script_limits.h"
#include "tapes.h"

typedef struct sl_vm sl_vm;

/* Makes a Lua thread that will run the referenced function; with LUA_NOREF, bodies one after another. `*reference` anchors it;
 * `*thread` is the thread itself. */
int sl_thread_new(sl_vm *vm, int function, int *reference, lua_State **thread);
/* Starts or resumes it. LUA_OK: it has finished; LUA_YIELD: it waits; both with what it gives to the host on
 * vm->tapes.to_swift. Otherwise see vm->failure. */
int sl_resume(sl_vm *vm, lua_State *thread, const sl_value *tape, int arguments);
/* Ends a waiting Lua thread and closes its `<close>` variables. */
int sl_thread_close(sl_vm *vm, lua_State *thread);

/* ---- Bodies of effects --------------------------------------------------------------------------------------------- */

/* How a wait ends. */
#define SL_RESUME_VALUES 0
#define SL_RESUME_ERROR 1       /* raises the message of `sl_set_error`, preceded by the position in the script */
#define SL_RESUME_ERROR_VALUE 2 /* raises the value that was passed */
#define SL_RESUME_CANCELLED 3

/* The outcome of a start or resumption of a body. */
#define SL_BODY_WAITING 0
#define SL_BODY_FINISHED 1
#define SL_BODY_CANCELLED 2 /* effect.cancelled was raised and nothing caught it */
#define SL_BODY_FAILED 3    /* see vm->failure; the error value also as a registry reference (+1) */
#define SL_BODY_SUSPENDED 4 /* its slice has ended; pass vm->body.use to `sl_charge_turn` when it is resumed */

/* The functions of a body, as registry references; LUA_NOREF where there is none. */
typedef struct sl_body {
  int function, catching, dependencies;
  bool owns;            /* `function` and `catching` are released when the body starts */
  uint64_t serial;      /* the number that `send` passes to Swift; 0: the function gets no arguments */
} sl_body;

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

/* The part of a body that it runs before it is suspended. */
typedef struct sl_slice {
  bool is_timed;               /* the slices of this VM also end after a time */
  volatile bool is_over;       /* the slice has ended: the body is suspended as soon as possible */
  bool is_suspended;           /* the body was suspended at the end of its slice, in the middle of a script */
  uint64_t left;               /* the instructions that are left of the slice; 0: not counted */
  int64_t began;               /* `sl_now()` when the slice began; 0 if the watchdog measures it */
} sl_slice;

/* The body that is running, and how the one that ran last has ended. coroutines/bodies.c and coroutines/slices.c change
 * it. The debug hook counts in it and raises a cancellation (coroutines/internal.h). The watchdog's signal handler reads
 * `thread` and sets `slice.is_over`.
 *
 * Invariant: `slice.left` is 0 and `is_cancelled` is false while `thread` is null. */
typedef struct sl_running_body {
  lua_State *thread;    /* the Lua thread of the body that is running; null outside of a body */
  sl_slice slice;
  sl_use use;                  /* what the running body used in its earlier slices */
  int resumption;              /* SL_RESUME_…: how the wait that is being resumed ends */
  int outcome;                 /* SL_BODY_…: how the body that ended last has ended */
  /* The body was suspended in the middle of a script and then cancelled: its next instruction raises effect.cancelled. */
  bool is_cancelled;
  bool raises_in_hook;         /* that error was raised, from the count hook */
} sl_running_body;

/* Whether bodies are suspended at the end of their time slice. */
static inline void sl_time_slices(sl_running_body *body, bool is_timed) { body->slice.is_timed = is_timed; }

/* Whether the calling function may wait. If not, the message is in `sl_vm.error.message`. [-0, +0, -] */
bool sl_can_wait(lua_State *L, const char *name);

#endif
