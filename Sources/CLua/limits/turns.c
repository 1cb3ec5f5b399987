/* Turns: their limits, and what the watchdog has to know of them. thread_record.h has the invariants of the latter. */
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "core/internal.h"
#include "coroutines/internal.h"
#include "limits/thread_record.h"

bool sl_set_limits(sl_vm *vm, const sl_limits *limits) {
  vm->limits = *limits;
  vm->memory.longest = limits->string > 0 ? limits->string + sizeof(void *) * 4 : SIZE_MAX;
  sl_set_widest(vm);
  if (limits->forbids_weak_tables) sl_hide_mode(vm);
  sl_set_bounds(vm);
  return limits->time == 0 || sl_watch_vm(vm);
}

void sl_start_turn(sl_vm *vm) {
  vm->turn.before = vm->memory.used;
  vm->turn.losses = 0;
  sl_set_widest(vm);
  sl_set_use(&vm->body, (sl_use){.time = 0});
  if (vm->limits.memory > 0 || vm->limits.growth > 0) sl_set_bounds(vm);
  if (vm->limits.instructions > 0) {
    vm->turn.instructions = vm->limits.instructions;
    sl_set_count_hook(vm->running);
  }
  if (vm->limits.time > 0) sl_watch_turn(vm);
  if (vm->watchdog.cancel != NULL) sl_begin_cancellable(vm);
}

void sl_finish_turn(sl_vm *vm) {
  sl_subtract_temporary_memory(vm, 0);
  if (vm->watchdog.cancel != NULL) sl_end_cancellable(vm);
  if (vm->watchdog.record != NULL) sl_unwatch_turn(vm);
  sl_set_bounds(vm);
  if (vm->turn.instructions > 0 || vm->limits.instructions > 0) {
    vm->turn.instructions = 0;
    sl_set_count_hook(vm->running);
  }
  if (vm->stop.reason == SL_STOP_NONE) return;
  /* The collection must wait: the tape borrows strings that may have no other reference. */
  if (vm->stop.reason == SL_STOP_MEMORY) vm->memory.owes_collection = true;
  sl_end_stop(vm->running);
}

void sl_charge_turn(sl_vm *vm, const sl_use *use) {
  if (vm->turn.depth != 1) return; /* the earlier slices were parts of the same turn */
  const sl_limits *limits = &vm->limits;
  sl_set_use(&vm->body, *use);
  vm->turn.before = vm->memory.used > use->growth ? vm->memory.used - use->growth : 0;
  sl_set_bounds(vm);
  if (limits->instructions > 0) {
    vm->turn.instructions = limits->instructions > use->instructions ? limits->instructions - use->instructions : 1;
    sl_set_count_hook(vm->running);
  }
  if (limits->time > 0) sl_shorten_turn(vm, use->time);
}

/* ---- The watchdog's view of a turn -------------------------------------------------------------------------------- */

int64_t sl_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * NANOSECONDS + now.tv_nsec;
}

/* Unblocks the signal on this thread. Threads of thread pools block all signals. */
static void unblock(struct sl_thread_record *record, int signal) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  record->unblocked = signal;
}

struct sl_thread_record *sl_make_record_here(sl_vm *vm) {
  if (!vm->watchdog.is_watched && !sl_watch_vm(vm)) return NULL;
  struct sl_thread_record *record = sl_record_here();
  int signal = sl_watch_signal();
  if (record != NULL) {
    if (record->unblocked != signal) unblock(record, signal);
    return record;
  }
  record = calloc(1, sizeof *record);
  if (record == NULL) return NULL;
  record->thread = pthread_self();
  if (!sl_add_record(record)) {
    free(record);
    return NULL;
  }
  sl_set_record_here(record);
  unblock(record, signal);
  return record;
}

/* The number of the turn. Only its own thread changes it, so a relaxed read is enough. */
static uint64_t number(const struct sl_thread_record *record) { return atomic_load_explicit(&record->turn, memory_order_relaxed); }

void sl_begin_watched(struct sl_thread_record *record, sl_vm *vm, int64_t allowance, int64_t spent) {
  record->vm = vm;
  record->spent = spent;
  vm->watchdog.record = record;
  atomic_store_explicit(&record->allowance, allowance, memory_order_relaxed);
  atomic_store_explicit(&record->turn, (number(record) + 1) | 1, memory_order_release);
  /* The watchdog may park without having seen the new turn, while this read still sees false. Therefore it looks once
   * more, a tick later, before it sleeps. */
  if (atomic_load_explicit(&sl_watchdog_is_parked, memory_order_relaxed)) sl_wake_watchdog();
}

/* Begins the turn of a VM inside the turn of another one. It ends with the earlier of both limits. If it has one of its own,
 * it is measured on its own, and what it has taken counts for the outer turn when it ends. */
static void begin_inside(struct sl_thread_record *record, sl_vm *vm) {
  sl_watch_state *state = &vm->watchdog;
  state->outer = record->vm;
  state->outer_left = state->outer_spent = 0;
  state->began = vm->limits.time > 0 ? sl_now() : 0;
  if (state->began == 0) { /* this turn is a part of the other VM's turn */
    record->vm = vm;
    state->record = record;
    return;
  }
  int64_t allowance = atomic_load_explicit(&record->allowance, memory_order_relaxed);
  int64_t taken = sl_time_taken(record, state->began), own = vm->limits.time;
  state->outer_spent = record->spent + taken;
  if (allowance > 0) {
    state->outer_left = taken < allowance ? allowance - taken : 1;
    if (state->outer_left < own) own = state->outer_left;
  }
  sl_begin_watched(record, vm, own, 0);
}

/* Ends such a turn. */
static void end_inside(struct sl_thread_record *record, const sl_watch_state *state) {
  if (state->began == 0) {
    record->vm = state->outer;
    return;
  }
  int64_t taken = sl_now() - state->began, left = state->outer_left - taken;
  bool is_late = state->outer_left > 0 && left <= 0;
  int64_t rest = state->outer_left == 0 ? 0 : left > 0 ? left : 1;
  sl_begin_watched(record, state->outer, rest, state->outer_spent + taken);
  atomic_store(&record->taken, 0);
  if (is_late) sl_request(record, number(record), SL_WANTS_TIME_STOP);
}

/* A thread that cannot be watched runs no scripts. */
void sl_watch_turn(sl_vm *vm) {
  struct sl_thread_record *record = sl_make_record_here(vm);
  if (record == NULL) {
    sl_stop(vm, SL_STOP_TIME, 0, NULL, 0);
    return;
  }
  if (number(record) % 2 == 0) {
    vm->watchdog.outer = NULL;
    sl_begin_watched(record, vm, vm->limits.time, 0);
  } else {
    begin_inside(record, vm);
  }
}

void sl_unwatch_turn(sl_vm *vm) {
  struct sl_thread_record *record = vm->watchdog.record;
  sl_vm *outer = vm->watchdog.outer;
  vm->watchdog.record = NULL;
  if (outer == NULL) {
    atomic_store_explicit(&record->turn, number(record) + 1, memory_order_release);
    return;
  }
  end_inside(record, &vm->watchdog);
  sl_take_request(record, outer); /* the handler may have stopped only the inner VM, whose stop ends with its turn */
}

void sl_restart_turn(sl_vm *vm) {
  struct sl_thread_record *record = vm->watchdog.record;
  if (record == NULL || record->vm != vm) return;
  sl_begin_watched(record, vm, vm->limits.time, 0);
  if (record->watch != NULL && record->watch->vm == vm) sl_watch_restart(record->watch);
}

void sl_shorten_turn(sl_vm *vm, int64_t used) {
  struct sl_thread_record *record = vm->watchdog.record;
  if (record == NULL || record->vm != vm) return;
  int64_t left = vm->limits.time - used;
  atomic_store_explicit(&record->allowance, left > 0 ? left : 1, memory_order_relaxed);
}

void sl_watch_slice(sl_vm *vm, int64_t slice) {
  if (slice > 0 && vm->watchdog.record == NULL) sl_watch_turn(vm); /* the turn has no time limit, so it is not watched yet */
  if (vm->watchdog.record == NULL) return;
  atomic_store_explicit(&vm->watchdog.record->slice, slice, memory_order_relaxed);
}

int64_t sl_watched_time(const sl_vm *vm) {
  const struct sl_thread_record *record = vm->watchdog.record;
  return record == NULL ? 0 : record->spent + atomic_load(&record->taken);
}
