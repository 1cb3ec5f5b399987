/* The watchdog thread, and what its signal does on the thread that receives it.
 *
 * Each thread that runs scripts has a record, `struct sl_thread_record`. Invariants:
 * 1. `turn` is odd while a turn runs and even between turns. Only the thread itself changes it. Each turn, and each
 *    restart of one, has another number.
 * 2. The watchdog measures a turn from the moment at which it first saw its number. So a turn may run about one TICK
 *    longer than its allowance.
 * 3. No other thread touches the VM. The watchdog and `sl_watch_interrupt` write atomic fields (`over`, `sliced`,
 *    `taken`, `is_sent`, `interrupted`) and send the signal. Everything else happens in the handler, on the thread that
 *    runs the scripts.
 * 4. If nothing would catch the error, the handler does nothing, and the watchdog sends the signal again at the next
 *    look, until the turn is over.
 * 5. `lock` protects the list of records, the state of the watchdog thread and the signal's handler.
 *
 * States of the watchdog thread:
 *
 *              no scripts ran                      again none
 *   [looking] ----------------> [parked, one tick] ----------> [parked, asleep]
 *     ^  ^                         |                               |
 *     |  +---- scripts ran --------+                               |
 *     +------------- a turn begins and finds is_parked: wake ------+ */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __APPLE__
#include <mach/mach.h>
#endif

#include "limits/stop_signal.h"
#include "core/tsan.h"

SL_UNSEEN_BEGIN
#include "core/internal.h"
#include "coroutines/internal.h"
#include "limits/internal.h"

enum { NANOSECONDS = 1000000000 };

/* TICK: nanoseconds between two looks while scripts run, at most; also the error of a turn's measured time. LEAST_TICK:
 * the least time after which the watchdog looks at a slice again. */
enum { TICK = 10000000, LEAST_TICK = 1000000 };

/* Nanoseconds between two signals to a turn that was stopped and still runs: it may be inside a host function that waits. */
enum { AGAIN = 100000000 };

/* The record of a thread that runs scripts. It exists until the thread ends. */
struct sl_thread_record {
  pthread_t thread;
  int unblocked; /* the signal that this thread has unblocked */
  bool is_gone;  /* after a fork: the thread exists only in the parent process */
  atomic_bool is_sent; /* the watchdog has sent a signal that is not handled yet */
  sl_vm *vm; /* the VM whose turn runs, the innermost one */
  sl_watch *watch;
  _Atomic uint64_t turn; /* invariant 1 */
  _Atomic int64_t allowance;
  _Atomic uint64_t over;  /* the turn whose time is over */
  _Atomic int64_t taken;  /* how long that turn had taken, in nanoseconds */
  _Atomic uint64_t stopped; /* the turn that the handler has stopped for its time */
  _Atomic int64_t slice;    /* nanoseconds of the running body's slice; 0: no body, or no limit */
  _Atomic uint64_t sliced;  /* the turn of which a slice is over */
  /* The fields below belong to the watchdog thread. */
  uint64_t seen;
  int64_t since, processor; /* `sl_now` when `seen` was first seen, and the thread's processor time at that moment */
  int64_t signalled;        /* `sl_now` when the thread was signalled last */
  struct sl_thread_record *next;
};

struct sl_watch {
  struct sl_thread_record *runner; /* null: nothing runs under the watch */
  sl_vm *vm;
  int64_t allowance;
  _Atomic int64_t deadline;
  atomic_bool interrupted;
};

int64_t sl_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * NANOSECONDS + now.tv_nsec;
}

/* ---- On the thread that runs scripts ---------------------------------------------------------------------------------- */

static _Thread_local struct sl_thread_record *volatile here = NULL;

/* Starts a stop if the watch was interrupted and this VM has not been stopped for that yet. Whether it did. */
static bool take_interruption(sl_watch *watch, sl_vm *vm) {
  if (vm->stop.is_interrupted || !atomic_load(&watch->interrupted)) return false;
  vm->stop.is_interrupted = true;
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
  vm->stop.figure = (double)(vm->body.use.time + atomic_load(&runner->taken)) / NANOSECONDS;
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
    if (runner->watch != NULL && take_interruption(runner->watch, vm)) {
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

/* ---- The watchdog thread --------------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_key_t ending;
static struct sl_thread_record *runners = NULL;
static bool is_there = false;
static int watched = 0; /* the number of VMs that may need the signal's handler */
/* The watchdog sleeps, or will sleep after one more tick. */
static atomic_bool is_parked = false;

/* Waits for a change, or until `time` as `sl_now` counts. Called under the lock. */
static void wait_until(int64_t time) {
#ifdef __APPLE__
  int64_t left = time - sl_now();
  if (left < 0) left = 0;
  struct timespec relative = {left / NANOSECONDS, left % NANOSECONDS};
  pthread_cond_timedwait_relative_np(&changed, &lock, &relative);
#else
  struct timespec absolute = {time / NANOSECONDS, time % NANOSECONDS};
  pthread_cond_timedwait(&changed, &lock, &absolute);
#endif
}

/* The processor time of a thread. A body's slice counts in it, so that it does not end while other threads have the
 * processor. */
static int64_t processor_time(pthread_t thread) {
#ifdef __APPLE__
  thread_basic_info_data_t info;
  mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
  if (thread_info(pthread_mach_thread_np(thread), THREAD_BASIC_INFO, (thread_info_t)&info, &count) != KERN_SUCCESS) return sl_now();
  int64_t seconds = (int64_t)info.user_time.seconds + info.system_time.seconds;
  return seconds * NANOSECONDS + ((int64_t)info.user_time.microseconds + info.system_time.microseconds) * 1000;
#else
  clockid_t clock;
  struct timespec time;
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) return sl_now();
  return (int64_t)time.tv_sec * NANOSECONDS + time.tv_nsec;
#endif
}

/* Called under the lock. */
static void send_signal(struct sl_thread_record *runner) {
  if (runner->is_gone) return;
  atomic_store(&runner->is_sent, true);
  pthread_kill(runner->thread, sl_watch_signal());
}

/* Signals a thread whose turn takes too long, or whose body's slice is over. Returns when to look again. Called under the
 * lock. */
static int64_t check_turn(struct sl_thread_record *runner, uint64_t turn, int64_t now) {
  int64_t next = now + TICK;
  int64_t allowance = atomic_load(&runner->allowance), slice = atomic_load(&runner->slice);
  bool is_late = false, is_over = false;
  if (allowance > 0 && (atomic_load(&runner->stopped) != turn || now - runner->signalled >= AGAIN)) {
    int64_t due = runner->since + allowance;
    is_late = due <= now;
    if (!is_late && due < next) next = due;
  }
  if (slice > 0 && !is_late) {
    int64_t left = slice - (processor_time(runner->thread) - runner->processor);
    is_over = left <= 0;
    if (left < LEAST_TICK) left = LEAST_TICK;
    if (!is_over && now + left < next) next = now + left;
  }
  if (!is_late && !is_over) return next;
  runner->signalled = now;
  atomic_store(&runner->taken, now - runner->since);
  atomic_store(is_late ? &runner->over : &runner->sliced, turn);
  send_signal(runner);
  return next;
}

/* Whether scripts have run since the last look. `next` receives the time of the next look. Called under the lock. */
static bool look(int64_t now, int64_t *next) {
  bool has_run = false;
  *next = now + TICK;
  for (struct sl_thread_record *runner = runners; runner != NULL; runner = runner->next) {
    uint64_t turn = atomic_load(&runner->turn);
    if (turn != runner->seen) {
      runner->seen = turn;
      runner->since = now;
      if (turn % 2 != 0) runner->processor = processor_time(runner->thread);
      has_run = true;
    }
    if (turn % 2 == 0) continue;
    has_run = true;
    int64_t due = check_turn(runner, turn, now);
    if (due < *next) *next = due;
  }
  return has_run;
}

static void *keep_looking(void *nothing) {
  pthread_mutex_lock(&lock);
  for (;;) {
    int64_t next;
    bool was_parked = atomic_load(&is_parked);
    if (look(sl_now(), &next)) {
      atomic_store(&is_parked, false);
    } else if (!was_parked) {
      /* One more tick, for a turn whose begin was not visible yet. */
      atomic_store(&is_parked, true);
    } else {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    wait_until(next);
  }
  return nothing;
}

/* Runs when the thread ends. */
static void forget_runner(void *ended) {
  pthread_mutex_lock(&lock);
  for (struct sl_thread_record **at = &runners; *at != NULL; at = &(*at)->next) {
    if (*at != ended) continue;
    *at = (*at)->next;
    break;
  }
  pthread_mutex_unlock(&lock);
  here = NULL; /* for a signal that has been sent already */
  free(ended);
}

static void make_condition(void) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
#ifndef __APPLE__
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
  pthread_cond_init(&changed, &attributes);
  pthread_condattr_destroy(&attributes);
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

/* A child process has only the thread that forked. Its next turn starts a new watchdog. The records of the other threads
 * are not freed, because watches may point to them. */
static void after_fork_in_child(void) {
  for (struct sl_thread_record *runner = runners; runner != NULL; runner = runner->next) {
    runner->is_gone = runner != here;
    atomic_store(&runner->is_sent, false);
  }
  runners = here;
  if (here != NULL) here->next = NULL;
  is_there = false;
  atomic_store(&is_parked, true);
  make_condition();
  pthread_mutex_unlock(&lock);
}

/* Sets up what a process needs once. Called under the lock. */
static bool set_up(void) {
  static bool is_set_up = false;
  if (is_set_up) return true;
  if (pthread_key_create(&ending, forget_runner) != 0) return false;
  if (pthread_atfork(before_fork, after_fork, after_fork_in_child) != 0) {
    pthread_key_delete(ending);
    return false;
  }
  make_condition();
  is_set_up = true;
  return true;
}

/* Starts the watchdog thread if it does not run. Called under the lock. */
static bool begin_looking(void) {
  if (is_there) return true;
  if (!set_up()) return false;
  /* The new thread blocks all signals, so that it does not receive those of the process. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  is_there = pthread_create(&thread, NULL, keep_looking, NULL) == 0;
  if (is_there) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return is_there;
}

static void wake(void) {
  pthread_mutex_lock(&lock);
  bool can = begin_looking(); /* after a fork there may be no watchdog thread */
  if (can && atomic_exchange(&is_parked, false)) pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

/* Restores the previous handler, unless a signal has been sent that the previous handler would receive. Called under the
 * lock. */
static void give_up_signal(void) {
  for (struct sl_thread_record *runner = runners; runner != NULL; runner = runner->next) {
    if (atomic_load(&runner->is_sent)) return;
  }
  sl_uninstall_signal();
}

bool sl_watch_vm(sl_vm *vm) {
  pthread_mutex_lock(&lock);
  bool can = begin_looking();
  if (can && !vm->watchdog.is_watched) {
    vm->watchdog.is_watched = true;
    watched++;
    sl_install_signal();
  }
  pthread_mutex_unlock(&lock);
  return can;
}

void sl_unwatch_vm(sl_vm *vm) {
  if (!vm->watchdog.is_watched) return;
  pthread_mutex_lock(&lock);
  vm->watchdog.is_watched = false;
  if (--watched == 0) give_up_signal();
  pthread_mutex_unlock(&lock);
}

bool sl_choose_watch_signal(int signal) {
  pthread_mutex_lock(&lock);
  if (watched == 0) give_up_signal();
  bool can = sl_set_signal(signal);
  pthread_mutex_unlock(&lock);
  return can;
}

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
  if (runner == NULL || pthread_setspecific(ending, runner) != 0) {
    free(runner);
    return NULL;
  }
  runner->thread = pthread_self();
  pthread_mutex_lock(&lock);
  runner->next = runners;
  runners = runner;
  pthread_mutex_unlock(&lock);
  here = runner;
  unblock(runner, signal);
  return runner;
}

/* ---- Turns -------------------------------------------------------------------------------------------------------------- */

/* The number of the turn. Only its own thread changes it, so a relaxed read is enough. */
static uint64_t number(const struct sl_thread_record *runner) { return atomic_load_explicit(&runner->turn, memory_order_relaxed); }

static void begin(struct sl_thread_record *runner, sl_vm *vm, int64_t allowance) {
  runner->vm = vm;
  vm->watchdog.runner = runner;
  atomic_store_explicit(&runner->allowance, allowance, memory_order_relaxed);
  atomic_store_explicit(&runner->turn, (number(runner) + 1) | 1, memory_order_release);
  /* The watchdog may park without having seen the new turn, while this read still sees false. Therefore it looks once
   * more, a tick later, before it sleeps. */
  if (atomic_load_explicit(&is_parked, memory_order_relaxed)) wake();
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
    begin(runner, vm, vm->limits.time);
  } else { /* this turn is a part of another VM's turn */
    vm->watchdog.outer = runner->vm;
    runner->vm = vm;
    vm->watchdog.runner = runner;
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
  runner->vm = outer;
  /* The handler may have stopped only the inner VM, whose stop ends with its turn. */
  bool is_late = atomic_load(&runner->over) == number(runner);
  if (is_late && sl_can_stop(&outer->turn) && outer->stop.reason == SL_STOP_NONE) stop_late(runner, outer);
}

void sl_restart_turn(sl_vm *vm) {
  struct sl_thread_record *runner = vm->watchdog.runner;
  if (runner == NULL || runner->vm != vm) return;
  begin(runner, vm, vm->limits.time);
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

int64_t sl_watched_time(const sl_vm *vm) { return vm->watchdog.runner == NULL ? 0 : atomic_load(&vm->watchdog.runner->taken); }

/* ---- Watches ---------------------------------------------------------------------------------------------------------- */

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
  pthread_mutex_lock(&lock);
  watch->runner = runner;
  pthread_mutex_unlock(&lock);
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
  pthread_mutex_lock(&lock);
  watch->runner = NULL;
  pthread_mutex_unlock(&lock);
  watch->vm = NULL;
  atomic_store(&watch->deadline, INT64_MAX);
}

void sl_watch_restart(sl_watch *watch) {
  if (watch->allowance == 0) return;
  begin(watch->runner, watch->vm, watch->allowance);
  atomic_store(&watch->deadline, sl_now() + watch->allowance);
}

int64_t sl_watch_deadline(const sl_watch *watch) { return atomic_load(&watch->deadline); }

/* If no script runs under the watch, no signal is sent: the next script checks the flag. */
void sl_watch_interrupt(sl_watch *watch) {
  atomic_store(&watch->interrupted, true);
  pthread_mutex_lock(&lock);
  if (watch->runner != NULL) send_signal(watch->runner);
  pthread_mutex_unlock(&lock);
}

bool sl_watch_is_interrupted(const sl_watch *watch) { return atomic_load(&watch->interrupted); }
