/* Who sees to it that a script which runs too long, or that somebody wants to end, is stopped.
 *
 * A thread of its own looks at the threads that run scripts: which turn goes on there, by a number, so that a turn costs no look at
 * the clock. One that takes too long gets a signal, whose handler makes the next Lua instruction raise: on the thread itself, as nobody
 * else may touch a running lua_State. */
#ifndef CLUA_WATCH_H
#define CLUA_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct sl_vm;
typedef struct sl_watch sl_watch;

/* The signal, and another one in its place: false if that cannot be had, or while there is a VM whose time is limited. From any thread. */
int sl_watch_signal(void);
bool sl_choose_watch_signal(int signal);

/* Nanoseconds of a clock that goes on by itself. From any thread, also in signal handlers. */
int64_t sl_now(void);

/* A turn that somebody may interrupt, and whose time counts anew when they say so. Null without memory. */
sl_watch *sl_watch_new(void);
void sl_watch_free(sl_watch *watch);

/* The calling thread runs scripts of `vm` from now on. There are `allowance` nanoseconds (0: any number) until they are stopped,
 * counted anew from each `sl_watch_restart`. With `guards` only what `protect` runs is stopped, and `protect` ends a stop, as tests want
 * it. One watch a thread. False if no thread can be had that looks at the time. */
bool sl_watch_begin(sl_watch *watch, struct sl_vm *vm, int64_t allowance, bool guards);
void sl_watch_end(sl_watch *watch);
void sl_watch_restart(sl_watch *watch);
/* When the time is over, in `sl_now`'s nanoseconds; INT64_MAX for never. */
int64_t sl_watch_deadline(const sl_watch *watch);

/* Stops what runs under the watch, and what ever will. From any thread. */
void sl_watch_interrupt(sl_watch *watch);
bool sl_watch_is_interrupted(const sl_watch *watch);

#endif
