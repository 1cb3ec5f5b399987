/* The watchdog: it stops scripts that run too long, or that another thread interrupts.
 *
 * The watchdog thread looks every few milliseconds at the threads that run scripts. It recognises a turn by its number,
 * so starting a turn does not read a clock. It sends a signal to a thread whose turn takes too long. The handler makes
 * the next Lua instruction raise. It does so on that thread, because no other thread may touch a running lua_State. */
#ifndef CLUA_WATCHDOG_H
#define CLUA_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sl_vm sl_vm;
typedef struct sl_watch sl_watch;
typedef struct sl_cancel sl_cancel;

/* The VM's part of the watch over its turns. limits/turns.c and limits/clock_thread.c change it, on the thread that uses
 * the VM. */
typedef struct sl_watch_state {
  bool is_watched;             /* the watchdog's signal handler is installed for this VM */
  struct sl_thread_record *record; /* the watchdog's record of the thread, during a turn that is watched */
  sl_vm *outer;                /* the VM whose turn encloses this one on the same thread */
  /* If this turn has a limit of its own: when it began, and what was left of the outer turn's limit (0: it has none) and had
   * been taken of it, in nanoseconds. Else `began` is 0. */
  int64_t began, outer_left, outer_spent;
  sl_cancel *cancel;           /* with which other threads stop this VM (limits/cancel.c); null: there is none */
} sl_watch_state;

/* The number of the signal; and another number instead. False if that signal cannot be handled, or while there is a VM
 * with a time limit. From any thread. */
int sl_watch_signal(void);
bool sl_choose_watch_signal(int signal);

/* Nanoseconds of a monotonic clock. From any thread, also in signal handlers. */
int64_t sl_now(void);

/* A watched period that another thread can interrupt and whose time can be restarted. Null if there is no memory. */
sl_watch *sl_watch_new(void);
void sl_watch_free(sl_watch *watch);

/* Until `sl_watch_end` the calling thread runs scripts of `vm`, whose time limit is `allowance` nanoseconds meanwhile (0: none),
 * counted from the last `sl_watch_restart`. With `guards`, as in tests, only what `protect` calls is stopped, and `protect`
 * ends a stop. There is at most one watch per thread. False if there is no memory, or no watchdog thread. */
bool sl_watch_begin(sl_watch *watch, sl_vm *vm, int64_t allowance, bool guards);
void sl_watch_end(sl_watch *watch);
void sl_watch_restart(sl_watch *watch);
/* When the time is over, as `sl_now` counts; INT64_MAX for never. */
int64_t sl_watch_deadline(const sl_watch *watch);

/* Stops what runs under the watch, now and later. From any thread. */
void sl_watch_interrupt(sl_watch *watch);
bool sl_watch_is_interrupted(const sl_watch *watch);

/* What other threads stop a VM with. Null if there is no memory. It must exist until the VM is freed. */
sl_cancel *sl_cancel_new(void);
void sl_cancel_free(sl_cancel *cancel);
/* Sets the sl_cancel of a VM, which has none yet. False if the watchdog's thread cannot be started. */
bool sl_set_cancel(sl_vm *vm, sl_cancel *cancel);
/* Stops what the VM runs at this moment; nothing if it runs nothing. From any thread, but not in a signal handler. */
void sl_request_cancel(sl_cancel *cancel);

#endif
