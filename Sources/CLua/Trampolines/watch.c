/* The watchdog, and what its signal does to the thread that gets it. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __APPLE__
#include <mach/mach.h>
#endif

#include "stop_signal.h"
#include "tsan.h"

SL_UNSEEN_BEGIN
#include "protect.h"

enum { NANOSECONDS = 1000000000 };

/* How often it looks while scripts run, by which a turn may be older than it was first seen; and at most. */
enum { TICK = 10000000, LEAST_TICK = 1000000 };

/* How often it signals a turn that was stopped and goes on: a function of the host may be waiting. */
enum { AGAIN = 100000000 };

/* A thread that runs scripts. It is there until the thread ends. */
struct sl_runner {
  pthread_t thread;
  int unblocked; /* the signal that the thread lets through */
  bool is_gone;  /* the thread was left behind by a fork */
  atomic_bool is_sent; /* a signal is on its way to it, from here */
  sl_vm *vm; /* whose turn goes on */
  sl_watch *watch;
  _Atomic uint64_t turn; /* odd while one goes on, each another one */
  _Atomic int64_t allowance;
  _Atomic uint64_t over;  /* the turn whose time is over */
  _Atomic int64_t taken;  /* how long it took by then */
  _Atomic uint64_t stopped; /* the turn that was stopped */
  _Atomic int64_t slice;    /* of the body that runs; 0: none does, or as long as it wants */
  _Atomic uint64_t sliced;  /* the turn whose slice is over */
  /* The watchdog's own. */
  uint64_t seen;
  int64_t since, processor; /* when it was first seen, and what time of a processor the thread had had by then */
  int64_t signalled;        /* when its thread was, last */
  struct sl_runner *next;
};

struct sl_watch {
  struct sl_runner *runner; /* null: nobody is watched */
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

static _Thread_local struct sl_runner *volatile here = NULL;

static bool take_interruption(sl_watch *watch, sl_vm *vm) {
  if (vm->interrupted || !atomic_load(&watch->interrupted)) return false;
  vm->interrupted = true;
  vm->stopping = SL_STOP_INTERRUPT;
  sl_take_call(vm);
  vm->soft = 0; /* whatever grows is asked about */
  return true;
}

void sl_begin_protection(sl_vm *vm) {
  vm->protections++;
  sl_watch *watch = here == NULL ? NULL : here->watch;
  if (watch != NULL && watch->vm == vm && take_interruption(watch, vm)) sl_arm(vm->running);
}

static void stop_late(struct sl_runner *runner, sl_vm *vm) {
  vm->stopping = SL_STOP_TIME;
  sl_take_call(vm);
  vm->soft = 0; /* whatever grows is asked about */
  vm->stop_figure = (double)(vm->use.time + atomic_load(&runner->taken)) / NANOSECONDS;
  sl_arm(vm->running);
}

/* In the middle of anything: nothing but atomics, and what Lua allows in a signal handler. */
bool sl_take_signal(void) {
  struct sl_runner *runner = here;
  uint64_t turn = runner == NULL ? 0 : atomic_load(&runner->turn);
  sl_vm *vm = turn % 2 == 0 ? NULL : runner->vm;
  /* Where nobody would catch it it waits: the watchdog comes again, until the turn is over. */
  if (vm != NULL && sl_can_stop(vm) && vm->stopping != SL_STOP_NONE) {
    /* It may be stopped for another reason, and not have come to an instruction since. */
    if (atomic_load(&runner->over) == turn) sl_take_call(vm);
    sl_arm(vm->running); /* what was under way when it was set may have put another hook in its place */
  } else if (vm != NULL && sl_can_stop(vm)) {
    if (runner->watch != NULL && take_interruption(runner->watch, vm)) {
      sl_arm(vm->running);
    } else if (atomic_load(&runner->over) == turn) {
      stop_late(runner, vm);
      atomic_store(&runner->stopped, turn);
    } else if (atomic_load(&runner->sliced) == turn && vm->body != NULL && vm->running == vm->body) {
      vm->is_over = true;
      sl_rest(vm->running);
    }
  }
  return runner != NULL && atomic_exchange(&runner->is_sent, false);
}

SL_UNSEEN_END

/* ---- The watchdog: a thread that sleeps while nobody runs scripts ------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_key_t ending;
static struct sl_runner *runners = NULL;
static bool is_there = false;
static int watched = 0; /* VMs that may need the signal's handler */
/* It sleeps until somebody tells it, or is about to. */
static atomic_bool is_parked = false;

/* Waits for a change, until a time of `sl_now`; the lock is held. */
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

/* The time of a processor that a thread has had, so that a body's slice is not over while other threads have it. */
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

/* The lock is held. */
static void send_signal(struct sl_runner *runner) {
  if (runner->is_gone) return;
  atomic_store(&runner->is_sent, true);
  pthread_kill(runner->thread, sl_watch_signal());
}

/* Signals a thread whose turn is too long, or whose body's slice is over; when to look again. The lock is held. */
static int64_t look_at(struct sl_runner *runner, uint64_t turn, int64_t now) {
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

/* Whether scripts ran since the last look; when to look again is in `next`. The lock is held. */
static bool look(int64_t now, int64_t *next) {
  bool has_run = false;
  *next = now + TICK;
  for (struct sl_runner *runner = runners; runner != NULL; runner = runner->next) {
    uint64_t turn = atomic_load(&runner->turn);
    if (turn != runner->seen) {
      runner->seen = turn;
      runner->since = now;
      if (turn % 2 != 0) runner->processor = processor_time(runner->thread);
      has_run = true;
    }
    if (turn % 2 == 0) continue;
    has_run = true;
    int64_t due = look_at(runner, turn, now);
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
      /* One tick more, for whoever began before this was to be seen. */
      atomic_store(&is_parked, true);
    } else {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    wait_until(next);
  }
  return nothing;
}

/* The thread ends. */
static void forget_runner(void *ended) {
  pthread_mutex_lock(&lock);
  for (struct sl_runner **at = &runners; *at != NULL; at = &(*at)->next) {
    if (*at != ended) continue;
    *at = (*at)->next;
    break;
  }
  pthread_mutex_unlock(&lock);
  here = NULL; /* for a signal that is on its way */
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

/* A child has no thread but the one that forked. The watchdog is started anew by the next turn. What belongs to the other threads stays,
 * as watches have it. */
static void after_fork_in_child(void) {
  for (struct sl_runner *runner = runners; runner != NULL; runner = runner->next) {
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

/* What is needed once in a process. The lock is held. */
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

/* The lock is held. */
static bool begin_looking(void) {
  if (is_there) return true;
  if (!set_up()) return false;
  /* Signals of the process are not for this thread. */
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
  bool can = begin_looking(); /* it may have been left behind by a fork */
  if (can && atomic_exchange(&is_parked, false)) pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

/* The former handler is put back, unless a signal is on its way, which it would get. The lock is held. */
static void give_up_signal(void) {
  for (struct sl_runner *runner = runners; runner != NULL; runner = runner->next) {
    if (atomic_load(&runner->is_sent)) return;
  }
  sl_uninstall_signal();
}

bool sl_watch_vm(sl_vm *vm) {
  pthread_mutex_lock(&lock);
  bool can = begin_looking();
  if (can && !vm->is_watched) {
    vm->is_watched = true;
    watched++;
    sl_install_signal();
  }
  pthread_mutex_unlock(&lock);
  return can;
}

void sl_unwatch_vm(sl_vm *vm) {
  if (!vm->is_watched) return;
  pthread_mutex_lock(&lock);
  vm->is_watched = false;
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

/* Its signal is let through from now on, as threads of pools block all. */
static void unblock(struct sl_runner *runner, int signal) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  runner->unblocked = signal;
}

/* The calling thread's, for the turns of a VM; null without memory. */
static struct sl_runner *runner_here(sl_vm *vm) {
  if (!vm->is_watched && !sl_watch_vm(vm)) return NULL;
  struct sl_runner *runner = here;
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

/* Its number, which only its thread changes. */
static uint64_t number(const struct sl_runner *runner) { return atomic_load_explicit(&runner->turn, memory_order_relaxed); }

static void begin(struct sl_runner *runner, sl_vm *vm, int64_t allowance) {
  runner->vm = vm;
  vm->runner = runner;
  atomic_store_explicit(&runner->allowance, allowance, memory_order_relaxed);
  atomic_store_explicit(&runner->turn, (number(runner) + 1) | 1, memory_order_release);
  /* What is read here may be older than what was just written is to others: the watchdog looks once more before it sleeps. */
  if (atomic_load_explicit(&is_parked, memory_order_relaxed)) wake();
}

/* A thread that cannot be watched runs nothing. */
void sl_watch_turn(sl_vm *vm) {
  struct sl_runner *runner = runner_here(vm);
  if (runner == NULL) {
    sl_stop(vm, SL_STOP_TIME, NULL, 0);
    return;
  }
  if (number(runner) % 2 == 0) {
    vm->outer = NULL;
    begin(runner, vm, vm->limits.time);
  } else { /* a part of another VM's turn */
    vm->outer = runner->vm;
    runner->vm = vm;
    vm->runner = runner;
  }
}

void sl_unwatch_turn(sl_vm *vm) {
  struct sl_runner *runner = vm->runner;
  sl_vm *outer = vm->outer;
  vm->runner = NULL;
  if (outer == NULL) {
    atomic_store_explicit(&runner->turn, number(runner) + 1, memory_order_release);
    return;
  }
  runner->vm = outer;
  bool is_late = atomic_load(&runner->over) == number(runner);
  if (is_late && sl_can_stop(outer) && outer->stopping == SL_STOP_NONE) stop_late(runner, outer);
}

void sl_restart_turn(sl_vm *vm) {
  struct sl_runner *runner = vm->runner;
  if (runner == NULL || runner->vm != vm) return;
  begin(runner, vm, vm->limits.time);
  if (runner->watch != NULL && runner->watch->vm == vm) sl_watch_restart(runner->watch);
}

void sl_shorten_turn(sl_vm *vm, int64_t used) {
  struct sl_runner *runner = vm->runner;
  if (runner == NULL || runner->vm != vm) return;
  int64_t left = vm->limits.time - used;
  atomic_store_explicit(&runner->allowance, left > 0 ? left : 1, memory_order_relaxed);
}

void sl_watch_slice(sl_vm *vm, int64_t slice) {
  if (slice > 0 && vm->runner == NULL) sl_watch_turn(vm); /* its time is without limit */
  if (vm->runner == NULL) return;
  atomic_store_explicit(&vm->runner->slice, slice, memory_order_relaxed);
}

int64_t sl_watched_time(const sl_vm *vm) { return vm->runner == NULL ? 0 : atomic_load(&vm->runner->taken); }

/* ---- Watches ---------------------------------------------------------------------------------------------------------- */

sl_watch *sl_watch_new(void) {
  sl_watch *watch = calloc(1, sizeof *watch);
  if (watch != NULL) atomic_store(&watch->deadline, INT64_MAX);
  return watch;
}

void sl_watch_free(sl_watch *watch) { free(watch); }

bool sl_watch_begin(sl_watch *watch, sl_vm *vm, int64_t allowance, bool guards) {
  struct sl_runner *runner = runner_here(vm);
  if (runner == NULL) return false;
  vm->limits.time = allowance;
  vm->is_guarded = guards;
  if (!guards) vm->interrupted = false;
  watch->allowance = allowance;
  watch->vm = vm;
  pthread_mutex_lock(&lock);
  watch->runner = runner;
  pthread_mutex_unlock(&lock);
  runner->watch = watch;
  sl_begin_turn(vm);
  if (vm->runner == NULL) sl_watch_turn(vm); /* for interruptions, where time is without limit */
  sl_watch_restart(watch);
  if (!guards && take_interruption(watch, vm)) sl_arm(vm->running);
  return true;
}

void sl_watch_end(sl_watch *watch) {
  sl_vm *vm = watch->vm;
  sl_end_turn(vm);
  vm->is_guarded = false;
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

/* One that runs no script now is not signalled: what it runs next finds the flag. */
void sl_watch_interrupt(sl_watch *watch) {
  atomic_store(&watch->interrupted, true);
  pthread_mutex_lock(&lock);
  if (watch->runner != NULL) send_signal(watch->runner);
  pthread_mutex_unlock(&lock);
}

bool sl_watch_is_interrupted(const sl_watch *watch) { return atomic_load(&watch->interrupted); }
