/* The watch over turns, on the threads that run scripts: the handler of the watchdog's signal, the turns that the
 * watchdog measures, and watches, which another thread can interrupt. thread_record.h has the invariants. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "core/tsan.h"
#include "limits/stop_signal.h"

SL_UNSEEN_BEGIN
#include "core/internal.h"
#include "coroutines/internal.h"
#include "limits/internal.h"
#include "limits/thread_record.h"

int64_t sl_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * NANOSECONDS + now.tv_nsec;
}

/* ---- The handler ------------------------------------------------------------------------------------------------- */

static _Thread_local struct sl_thread_record *volatile here = NULL;

/* Starts a stop if the watch was interrupted and this VM has not been stopped for that yet. Whether it did. */
static bool take_interruption(sl_watch *watch, sl_vm *vm) {
  if (vm->stop.is_interrupted || !atomic_load(&watch->interrupted)) return false;
  vm->stop.is_interrupted = true;
  sl_begin_stop(vm, SL_STOP_INTERRUPT);
  return true;
}

/* Starts a stop if another thread has interrupted this VM. Whether it did. */
static bool take_request(sl_vm *vm) {
  sl_interrupt *interrupt = vm->watchdog.interrupt;
  int expected = SL_INTERRUPT_REQUESTED;
  if (interrupt == NULL || !atomic_compare_exchange_strong(&interrupt->state, &expected, SL_INTERRUPT_TAKEN)) return false;
  sl_begin_stop(vm, SL_STOP_INTERRUPT);
  return true;
}

void sl_begin_protection(sl_vm *vm) {
  vm->turn.protections++;
  sl_watch *watch = here == NULL ? NULL : here->watch;
  if (watch != NULL && watch->vm == vm && take_interruption(watch, vm)) sl_set_stop_hook(vm->running);
}

void sl_end_protection(sl_vm *vm) { vm->turn.protections--; }

/* Starts a stop because the time of the turn is over. */
static void stop_late(struct sl_thread_record *runner, sl_vm *vm) {
  sl_begin_stop(vm, SL_STOP_TIME);
  vm->stop.figure = (double)(vm->body.use.time + runner->spent + atomic_load(&runner->taken)) / NANOSECONDS;
  sl_set_stop_hook(vm->running);
}

/* Runs in a signal handler, which may interrupt any code: it uses only atomics, and the functions that Lua allows there. */
bool sl_take_signal(void) {
  struct sl_thread_record *runner = here;
  uint64_t turn = runner == NULL ? 0 : atomic_load(&runner->turn);
  sl_vm *vm = turn % 2 == 0 ? NULL : runner->vm;
  /* Invariant 4. */
  if (vm != NULL && sl_can_stop(&vm->turn) && vm->stop.reason != SL_STOP_NONE) {
    /* Scripts may be stopped for another reason, without having reached an instruction since. */
    if (atomic_load(&runner->over) == turn) sl_hide_call_name(vm);
    sl_set_stop_hook(vm->running); /* the interrupted code may have been about to set another hook */
  } else if (vm != NULL && sl_can_stop(&vm->turn)) {
    if ((runner->watch != NULL && take_interruption(runner->watch, vm)) || take_request(vm)) {
      sl_set_stop_hook(vm->running);
    } else if (atomic_load(&runner->over) == turn) {
      stop_late(runner, vm);
      atomic_store(&runner->stopped, turn);
    } else if (atomic_load(&runner->sliced) == turn && vm->body.thread != NULL && vm->running == vm->body.thread) {
      sl_end_slice_soon(&vm->body);
      sl_set_count_hook(vm->running);
    }
  }
  return runner != NULL && atomic_exchange(&runner->is_sent, false);
}

SL_UNSEEN_END

/* ---- The record of the thread ------------------------------------------------------------------------------------ */

struct sl_thread_record *sl_record_here(void) { return here; }
void sl_forget_record_here(void) { here = NULL; }

/* Unblocks the signal on this thread. Threads of thread pools block all signals. */
static void unblock(struct sl_thread_record *runner, int signal) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  runner->unblocked = signal;
}

/* The record of the calling thread, for the turns of `vm`. Null if there is no memory or no watchdog thread. */
static struct sl_thread_record *runner_here(sl_vm *vm) {
  if (!vm->watchdog.is_watched && !sl_watch_vm(vm)) return NULL;
  struct sl_thread_record *runner = here;
  int signal = sl_watch_signal();
  if (runner != NULL) {
    if (runner->unblocked != signal) unblock(runner, signal);
    return runner;
  }
  runner = calloc(1, sizeof *runner);
  if (runner == NULL) return NULL;
  runner->thread = pthread_self();
  if (!sl_add_record(runner)) {
    free(runner);
    return NULL;
  }
  here = runner;
  unblock(runner, signal);
  return runner;
}

/* ---- Turns ------------------------------------------------------------------------------------------------------- */

/* The number of the turn. Only its own thread changes it, so a relaxed read is enough. */
static uint64_t number(const struct sl_thread_record *runner) { return atomic_load_explicit(&runner->turn, memory_order_relaxed); }

/* Begins a turn of `vm`, which may take `allowance` nanoseconds (0: no limit), or the rest of one that has taken `spent`. */
static void begin(struct sl_thread_record *runner, sl_vm *vm, int64_t allowance, int64_t spent) {
  runner->vm = vm;
  runner->spent = spent;
  vm->watchdog.runner = runner;
  atomic_store_explicit(&runner->allowance, allowance, memory_order_relaxed);
  atomic_store_explicit(&runner->turn, (number(runner) + 1) | 1, memory_order_release);
  /* The watchdog may park without having seen the new turn, while this read still sees false. Therefore it looks once
   * more, a tick later, before it sleeps. */
  if (atomic_load_explicit(&sl_watchdog_is_parked, memory_order_relaxed)) sl_wake_watchdog();
}

/* Begins the turn of a VM inside the turn of another one. It ends with the earlier of both limits. If it has one of its own,
 * it is measured on its own, and what it has taken counts for the outer turn when it ends. */
static void begin_inside(struct sl_thread_record *runner, sl_vm *vm) {
  sl_watch_state *state = &vm->watchdog;
  state->outer = runner->vm;
  state->outer_left = state->outer_spent = 0;
  state->began = vm->limits.time > 0 ? sl_now() : 0;
  if (state->began == 0) { /* this turn is a part of the other VM's turn */
    runner->vm = vm;
    state->runner = runner;
    return;
  }
  int64_t allowance = atomic_load_explicit(&runner->allowance, memory_order_relaxed);
  int64_t taken = sl_time_taken(runner, state->began), own = vm->limits.time;
  state->outer_spent = runner->spent + taken;
  if (allowance > 0) {
    state->outer_left = taken < allowance ? allowance - taken : 1;
    if (state->outer_left < own) own = state->outer_left;
  }
  begin(runner, vm, own, 0);
}

/* Ends such a turn. Whether the time of the outer one is over. */
static bool end_inside(struct sl_thread_record *runner, const sl_watch_state *state) {
  if (state->began == 0) {
    runner->vm = state->outer;
    /* The handler may have stopped only the inner VM, whose stop ends with its turn. */
    return atomic_load(&runner->over) == number(runner);
  }
  int64_t taken = sl_now() - state->began, left = state->outer_left - taken;
  bool is_late = state->outer_left > 0 && left <= 0;
  int64_t rest = state->outer_left == 0 ? 0 : left > 0 ? left : 1;
  begin(runner, state->outer, rest, state->outer_spent + taken);
  atomic_store(&runner->taken, 0);
  return is_late;
}

/* A thread that cannot be watched runs no scripts. */
void sl_watch_turn(sl_vm *vm) {
  struct sl_thread_record *runner = runner_here(vm);
  if (runner == NULL) {
    sl_stop(vm, SL_STOP_TIME, NULL, 0);
    return;
  }
  if (number(runner) % 2 == 0) {
    vm->watchdog.outer = NULL;
    begin(runner, vm, vm->limits.time, 0);
  } else {
    begin_inside(runner, vm);
  }
}

void sl_unwatch_turn(sl_vm *vm) {
  struct sl_thread_record *runner = vm->watchdog.runner;
  sl_vm *outer = vm->watchdog.outer;
  vm->watchdog.runner = NULL;
  if (outer == NULL) {
    atomic_store_explicit(&runner->turn, number(runner) + 1, memory_order_release);
    return;
  }
  bool is_late = end_inside(runner, &vm->watchdog);
  if (!sl_can_stop(&outer->turn) || outer->stop.reason != SL_STOP_NONE) return;
  if (take_request(outer)) {
    sl_set_stop_hook(outer->running);
  } else if (is_late) {
    stop_late(runner, outer);
  }
}

void sl_restart_turn(sl_vm *vm) {
  struct sl_thread_record *runner = vm->watchdog.runner;
  if (runner == NULL || runner->vm != vm) return;
  begin(runner, vm, vm->limits.time, 0);
  if (runner->watch != NULL && runner->watch->vm == vm) sl_watch_restart(runner->watch);
}

void sl_shorten_turn(sl_vm *vm, int64_t used) {
  struct sl_thread_record *runner = vm->watchdog.runner;
  if (runner == NULL || runner->vm != vm) return;
  int64_t left = vm->limits.time - used;
  atomic_store_explicit(&runner->allowance, left > 0 ? left : 1, memory_order_relaxed);
}

void sl_watch_slice(sl_vm *vm, int64_t slice) {
  if (slice > 0 && vm->watchdog.runner == NULL) sl_watch_turn(vm); /* the turn has no time limit, so it is not watched yet */
  if (vm->watchdog.runner == NULL) return;
  atomic_store_explicit(&vm->watchdog.runner->slice, slice, memory_order_relaxed);
}

int64_t sl_watched_time(const sl_vm *vm) {
  const struct sl_thread_record *runner = vm->watchdog.runner;
  return runner == NULL ? 0 : runner->spent + atomic_load(&runner->taken);
}

/* ---- Watches ----------------------------------------------------------------------------------------------------- */

sl_watch *sl_watch_new(void) {
  sl_watch *watch = calloc(1, sizeof *watch);
  if (watch != NULL) atomic_store(&watch->deadline, INT64_MAX);
  return watch;
}

void sl_watch_free(sl_watch *watch) { free(watch); }

bool sl_watch_begin(sl_watch *watch, sl_vm *vm, int64_t allowance, bool guards) {
  struct sl_thread_record *runner = runner_here(vm);
  if (runner == NULL) return false;
  vm->limits.time = allowance;
  vm->turn.is_guarded = guards;
  if (!guards) vm->stop.is_interrupted = false;
  watch->allowance = allowance;
  watch->vm = vm;
  sl_lock_records();
  watch->runner = runner;
  sl_unlock_records();
  runner->watch = watch;
  sl_begin_turn(vm);
  if (vm->watchdog.runner == NULL) sl_watch_turn(vm); /* the turn has no time limit, but may be interrupted */
  sl_watch_restart(watch);
  if (!guards && take_interruption(watch, vm)) sl_set_stop_hook(vm->running);
  return true;
}

void sl_watch_end(sl_watch *watch) {
  sl_vm *vm = watch->vm;
  sl_end_turn(vm);
  vm->turn.is_guarded = false;
  watch->runner->watch = NULL;
  sl_lock_records();
  watch->runner = NULL;
  sl_unlock_records();
  watch->vm = NULL;
  atomic_store(&watch->deadline, INT64_MAX);
}

void sl_watch_restart(sl_watch *watch) {
  if (watch->allowance == 0) return;
  begin(watch->runner, watch->vm, watch->allowance, 0);
  atomic_store(&watch->deadline, sl_now() + watch->allowance);
}

int64_t sl_watch_deadline(const sl_watch *watch) { return atomic_load(&watch->deadline); }

/* If no script runs under the watch, no signal is sent: the next script checks the flag. */
void sl_watch_interrupt(sl_watch *watch) {
  atomic_store(&watch->interrupted, true);
  sl_lock_records();
  if (watch->runner != NULL) sl_send_signal(watch->runner);
  sl_unlock_records();
}

bool sl_watch_is_interrupted(const sl_watch *watch) { return atomic_load(&watch->interrupted); }
