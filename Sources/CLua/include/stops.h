/* Stopping scripts that exceed a limit or are interrupted. */
#ifndef CLUA_STOPS_H
#define CLUA_STOPS_H

#include "failure.h"

struct lua_State;
typedef struct sl_vm sl_vm;

/* The reasons to stop scripts. */
#define SL_STOP_NONE 0
#define SL_STOP_TIME 1
#define SL_STOP_INTERRUPT 2
#define SL_STOP_MEMORY 3
#define SL_STOP_GROWTH 4
#define SL_STOP_STRING 5
#define SL_STOP_INSTRUCTIONS 6
#define SL_STOP_PATTERN 7
#define SL_STOP_SOURCE 8
#define SL_STOP_KEYS 9
/* Counted by the host: actions, and effects in flight. */
#define SL_STOP_ACTIONS 10
#define SL_STOP_EFFECTS 11

/* Whether and why scripts are being stopped. limits/stop_hook.c changes it, and so does the watchdog's signal handler
 * (`sl_begin_stop`), on the thread that runs the scripts: it sets `is_interrupted`, `reason` and `figure`, and reads
 * them.
 *
 * Invariant: while `reason` is not SL_STOP_NONE, every instruction raises, until the turn ends or the innermost
 * `protect` has caught the error. */
typedef struct sl_stop_state {
  volatile int reason;         /* SL_STOP_… */
  volatile bool is_interrupted; /* the interruption of the current watch has already stopped this VM */
  bool has_raised;             /* at least one instruction has raised since scripts are being stopped */
  double figure;               /* the figure that exceeded the limit */
  /* Where the VM was stopped first. A message of its own may be set before. */
  sl_failure failure;
} sl_stop_state;

/* Stops what runs: the next instruction raises `message`, and so does each one after it, until `protect` has caught the
 * error. [-0, +0, -] */
void sl_stop(sl_vm *vm, int reason, const char *message, size_t length);
/* The same for a limit that the host counts: SL_STOP_ACTIONS, SL_STOP_EFFECTS. */
void sl_stop_at_limit(sl_vm *vm, int reason, double allowed, const char *message, size_t length);

/* Stops scripts with an error that they cannot catch: each instruction raises until the turn is over. Does not return.
 * [-0, +0, v] */
_Noreturn void sl_stop_here(struct lua_State *L, int reason);
/* The same for a size that exceeds its limit. */
_Noreturn void sl_stop_at_size(struct lua_State *L, int reason, size_t size);
/* For loops in C: raises if scripts are being stopped. [-0, +0, v] */
#define sl_poll(L, vm)                                                             \
  do {                                                                             \
    if ((vm)->stop.reason != SL_STOP_NONE) sl_stop_here((L), (vm)->stop.reason);   \
  } while (0)

#endif
