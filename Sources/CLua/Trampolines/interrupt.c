/* Stopping scripts: the watchdog, the signal, and the hook that raises. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "protect.h"

/* Ignored unless somebody asks for it, so that one too many hurts nobody. */
enum { STOP_SIGNAL = SIGURG };

enum { NANOSECONDS = 1000000000, AGAIN = 10000000 };

struct sl_watch {
  sl_vm *vm; /* null: nobody is watched */
  pthread_t thread;
  int64_t allowance;
  _Atomic int64_t deadline;
  atomic_bool interrupted;
  bool blocked_before; /* the thread, as those of pools, had blocked the signal */
  sl_watch *next;
};

/* ---- On the thread that runs scripts ---------------------------------------------------------------------------------- */

static _Thread_local sl_watch *volatile watch_here = NULL;

int64_t sl_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * NANOSECONDS + now.tv_nsec;
}

_Noreturn void sl_raise_stop(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  sl_failure *stop = &vm->stop;
  if (stop->status == LUA_OK) {
    stop->status = LUA_ERRRUN;
    lua_Debug frame;
    const char *script = sl_find_script(L, 0, &frame);
    stop->line = script == NULL ? -1 : frame.currentline;
    if (script != NULL) sl_text_set(&stop->script, script, strlen(script));
    luaL_traceback(L, L, NULL, 0);
    size_t length;
    const char *traceback = lua_tolstring(L, -1, &length);
    sl_text_set(&stop->traceback, traceback, length);
    lua_pop(L, 1);
  }
  sl_push_stop(L, vm);
  lua_error(L);
  __builtin_unreachable();
}

/* Raises, at each instruction until whoever protects scripts has caught it (`sl_end_stop`). */
static void stop_hook(lua_State *L, lua_Debug *activation) {
  (void)activation;
  if (sl_vm_of(L)->stopping != SL_STOP_NONE) sl_raise_stop(L);
  sl_rest(L); /* left on a coroutine */
}

void sl_push_stop(lua_State *L, sl_vm *vm) {
  if (vm->stop.message.count > 0) {
    lua_pushlstring(L, vm->stop.message.bytes, vm->stop.message.count);
  } else if (vm->stopping == SL_STOP_INTERRUPT) {
    lua_pushliteral(L, "interrupted");
  } else if (vm->stopping == SL_STOP_STEPS) {
    lua_pushfstring(L, "matching a pattern takes more than %I steps", (LUAI_UACINT)vm->pattern_steps);
  } else {
    char message[64];
    snprintf(message, sizeof message, "this takes longer than %g s", (double)vm->allowance / NANOSECONDS);
    lua_pushstring(L, message);
  }
}

void sl_arm(lua_State *L) { lua_sethook(L, stop_hook, LUA_MASKCOUNT, 1); }

/* What there is of hooks while scripts behave. */
void sl_rest(lua_State *L) {
  if (sl_vm_of(L)->counts_lines) {
    sl_count_lines(L);
  } else {
    lua_sethook(L, NULL, 0, 0);
  }
}

void sl_stop(sl_vm *vm, int reason, const char *message, size_t length) {
  sl_text_set(&vm->stop.message, message, length);
  vm->stopping = reason;
  sl_arm(vm->running);
}

void sl_end_stop(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  if (vm->stopping == SL_STOP_NONE) return;
  vm->stopping = SL_STOP_NONE;
  vm->stop.status = LUA_OK;
  vm->stop.line = -1;
  sl_text_set(&vm->stop.message, "", 0);
  sl_text_set(&vm->stop.script, "", 0);
  sl_text_set(&vm->stop.traceback, "", 0);
  sl_rest(L);
  if (watch_here != NULL && watch_here->vm == vm) sl_watch_restart(watch_here);
}

static bool take_interruption(sl_watch *watch, sl_vm *vm) {
  if (vm->interrupted || !atomic_load(&watch->interrupted)) return false;
  vm->interrupted = true;
  vm->stopping = SL_STOP_INTERRUPT;
  return true;
}

void sl_begin_protection(sl_vm *vm) {
  vm->protections++;
  sl_watch *watch = watch_here;
  if (watch != NULL && watch->vm == vm && take_interruption(watch, vm)) sl_arm(vm->running);
}

/* In the middle of anything: nothing but atomics, the clock, and what Lua allows in a signal handler. */
static void stop_here(int signal) {
  (void)signal;
  int error = errno;
  sl_watch *watch = watch_here;
  sl_vm *vm = watch == NULL ? NULL : watch->vm;
  /* Where nobody would catch it it waits: the watchdog comes again. */
  if (vm != NULL && vm->protections > 0 && vm->stopping == SL_STOP_NONE) {
    if (!take_interruption(watch, vm) && sl_now() >= atomic_load(&watch->deadline)) vm->stopping = SL_STOP_TIME;
    if (vm->stopping != SL_STOP_NONE) {
      atomic_store(&watch->deadline, INT64_MAX); /* until it is caught */
      sl_arm(vm->running);
    }
  }
  errno = error;
}

/* ---- The watchdog: a thread that sleeps until somebody's time is over -------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static sl_watch *watches = NULL;
static bool is_there = false;
/* When it looks again; INT64_MAX while there is nothing to look at. */
static _Atomic int64_t wakes_at = INT64_MAX;

/* Waits for a change, until a time of `sl_now`; the lock is held. */
static void wait_until(int64_t time) {
  if (time == INT64_MAX) {
    pthread_cond_wait(&changed, &lock);
    return;
  }
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

static void *look(void *nothing) {
  pthread_mutex_lock(&lock);
  for (;;) {
    int64_t now = sl_now(), next = INT64_MAX;
    atomic_store(&wakes_at, INT64_MAX); /* whoever comes now tells, and so waits for the lock */
    for (sl_watch *watch = watches; watch != NULL; watch = watch->next) {
      int64_t deadline = atomic_load(&watch->deadline);
      if (deadline <= now) {
        pthread_kill(watch->thread, STOP_SIGNAL);
        deadline = now + AGAIN;
      }
      if (deadline < next) next = deadline;
    }
    atomic_store(&wakes_at, next);
    wait_until(next);
  }
  return nothing;
}

#if defined(__has_feature) && defined(__linux__)
#if __has_feature(thread_sanitizer)
#define SL_BELOW_TSAN 1
#endif
#endif

#ifdef SL_BELOW_TSAN
#include <sys/syscall.h>
#include <unistd.h>

/* ThreadSanitizer holds a signal back until the thread calls the C library, which a loop in Lua never does. So the handler is put in
 * place of its own, with the way back that it has found. */
static void install_below(void) {
  struct {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
  } action;
  syscall(SYS_rt_sigaction, STOP_SIGNAL, NULL, &action, sizeof action.mask);
  action.handler = (void *)stop_here;
  action.flags &= ~(unsigned long)SA_SIGINFO;
  syscall(SYS_rt_sigaction, STOP_SIGNAL, &action, NULL, sizeof action.mask);
}
#endif

/* The lock is held. */
static bool begin_looking(void) {
  if (is_there) return true;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = stop_here;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(STOP_SIGNAL, &action, NULL);
#ifdef SL_BELOW_TSAN
  install_below();
#endif
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
#ifndef __APPLE__
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
  pthread_cond_init(&changed, &attributes);
  pthread_condattr_destroy(&attributes);
  /* Signals of the process are not for this thread. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  is_there = pthread_create(&thread, NULL, look, NULL) == 0;
  if (is_there) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return is_there;
}

static bool set_blocked(bool blocks) {
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, STOP_SIGNAL);
  pthread_sigmask(blocks ? SIG_BLOCK : SIG_UNBLOCK, &signals, &before);
  return sigismember(&before, STOP_SIGNAL) == 1;
}

/* ---- Watches ---------------------------------------------------------------------------------------------------------- */

sl_watch *sl_watch_new(void) {
  sl_watch *watch = calloc(1, sizeof *watch);
  if (watch != NULL) atomic_store(&watch->deadline, INT64_MAX);
  return watch;
}

void sl_watch_free(sl_watch *watch) { free(watch); }

bool sl_watch_begin(sl_watch *watch, sl_vm *vm, int64_t allowance) {
  pthread_mutex_lock(&lock);
  bool begun = begin_looking();
  if (begun) {
    watch->allowance = vm->allowance = allowance;
    watch->thread = pthread_self();
    watch->vm = vm;
    watch->next = watches;
    watches = watch;
    watch_here = watch;
  }
  pthread_mutex_unlock(&lock);
  if (!begun) return false;
  watch->blocked_before = set_blocked(false);
  sl_watch_restart(watch);
  return true;
}

void sl_watch_end(sl_watch *watch) {
  pthread_mutex_lock(&lock);
  for (sl_watch **at = &watches; *at != NULL; at = &(*at)->next) {
    if (*at != watch) continue;
    *at = watch->next;
    break;
  }
  watch_here = NULL;
  watch->vm = NULL;
  atomic_store(&watch->deadline, INT64_MAX);
  pthread_mutex_unlock(&lock);
  if (watch->blocked_before) set_blocked(true);
}

void sl_watch_restart(sl_watch *watch) {
  if (watch->allowance == 0) return;
  int64_t deadline = sl_now() + watch->allowance;
  atomic_store(&watch->deadline, deadline);
  if (deadline >= atomic_load(&wakes_at)) return;
  pthread_mutex_lock(&lock);
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

int64_t sl_watch_deadline(const sl_watch *watch) { return atomic_load(&watch->deadline); }

/* One that runs no script now is not signalled: what it runs next finds the flag. */
void sl_watch_interrupt(sl_watch *watch) {
  atomic_store(&watch->interrupted, true);
  pthread_mutex_lock(&lock);
  if (watch->vm != NULL) pthread_kill(watch->thread, STOP_SIGNAL);
  pthread_mutex_unlock(&lock);
}

bool sl_watch_is_interrupted(const sl_watch *watch) { return atomic_load(&watch->interrupted); }
