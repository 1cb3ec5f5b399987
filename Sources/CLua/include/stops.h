/* What is recorded about errors, and stopping scripts that exceed a limit or are interrupted. */
#ifndef CLUA_STOPS_H
#define CLUA_STOPS_H

#include "script_limits.h"
#include "tapes.h"

struct lua_State;
typedef struct sl_vm sl_vm;

/* What is recorded about a protected call that failed, or about scripts that were stopped. */
typedef struct sl_failure {
  sl_stop_reason reason;
  double allowed, reached; /* the limit of that reason and the value reached, in its unit: seconds, bytes, a count */
  int line;             /* of the innermost script function; -1 if there is none */
  sl_text script;       /* the chunk name of that function as given to `sl_load`, without `@` */
  sl_text message;      /* empty if the error value is not a string and has no `__tostring` */
  sl_text traceback;
  bool has_value;       /* the error value is not a string: it is on `sl_vm.tapes.to_swift` */
  bool is_thrown;       /* the error value is the string that stands for the Swift error thrown last */
} sl_failure;

/* The error that a hook wants C to raise. Swift sets it before the hook returns SL_RAISE. */
typedef struct sl_error {
  sl_text message;
  bool is_thrown;       /* the next string that C raises stands for a Swift error */
} sl_error;

static inline void sl_clear_error(sl_error *error) { error->message.count = 0; }
/* Whether the next string that C raises stands for a Swift error. */
static inline void sl_set_thrown(sl_error *error, bool is_thrown) { error->is_thrown = is_thrown; }

/* Whether and why scripts are being stopped. limits/stop_hook.c changes it, and so does the watchdog's signal handler
 * (`sl_begin_stop`), on the thread that runs the scripts: it sets `is_interrupted`, `reason` and `figure`, and reads
 * them.
 *
 * Invariant: while `reason` is not SL_STOP_NONE, every instruction raises, until the turn ends or the innermost
 * `protect` has caught the error. */
typedef struct sl_stop_state {
  volatile sl_stop_reason reason;
  volatile bool is_interrupted; /* the interruption of the current watch has already stopped this VM */
  bool has_raised;             /* at least one instruction has raised since scripts are being stopped */
  double figure;               /* the figure that exceeded the limit */
  bool is_recorded;            /* `failure` says where the VM was stopped first; a message of its own may be set before */
  sl_failure failure;
} sl_stop_state;

/* Stops what runs: the next instruction raises `message`, and so does each one after it, until `protect` has caught the
 * error. `allowed` is the limit, if the host counts it. [-0, +0, -] */
void sl_stop(sl_vm *vm, sl_stop_reason reason, double allowed, const char *message, size_t length);

/* Raises the error of the stop that has begun. Scripts cannot catch it: each instruction raises until the turn is over. Does not
 * return. [-0, +0, v] */
_Noreturn void sl_stop_here(struct lua_State *L);
/* Stops scripts because of a size that exceeds its limit, unless a stop has begun, and raises. Does not return. [-0, +0, v] */
_Noreturn void sl_stop_at_size(struct lua_State *L, sl_stop_reason reason, size_t size);
/* For loops in C: raises if scripts are being stopped. [-0, +0, v] */
#define sl_poll(L, vm)                                        \
  do {                                                        \
    if ((vm)->stop.reason != SL_STOP_NONE) sl_stop_here((L)); \
  } while (0)

#endif
