/* The debug hook: it raises in scripts that are being stopped, and counts the instructions of the others.
 *
 *                  stopping = reason, sl_set_stop_hook
 *    +---------+ -------------------------------> +----------+ --+ every call and
 *    | resting |                                  | stopping |   | instruction:
 *    +---------+ <------------------------------- +----------+ <-+ raise_stop
 *                 forget_stop, sl_set_count_hook
 *
 * Invariants:
 * 1. Resting: the count hook fires every COUNTED instructions or sooner, if instructions are counted; otherwise there is
 *    no hook. Stopping: the hook fires at each call and instruction.
 * 2. A stop ends when the turn ends, when `protect` has caught its error, or when a collection has freed the memory that
 *    was missing.
 * 3. A stop begins in the allocator (memory.c), in a signal handler (stop_signal.c), in this hook, or in a C function
 *    (`sl_stop_at_size`). Only the hook and C functions raise. */
#include <stdio.h>

#include "core/tsan.h"

SL_UNSEEN_BEGIN
#include "core/internal.h"
#include "coroutines/internal.h"
#include "limits/internal.h"
#include "testing/internal.h"
#include "values/internal.h"
SL_UNSEEN_END

/* The hook's count. A coroutine that resumes another loses what it had counted, so the interval is small. */
enum { COUNTED = 1000 };

/* The interval becomes smaller each time a count is lost. */
static uint64_t counted_at_a_time(const sl_vm *vm) {
  uint64_t count = (uint64_t)COUNTED >> vm->turn.losses;
  return count > 0 ? count : 1;
}

/* ---- Where and why scripts are stopped ------------------------------------------------------------------------------- */

const char *sl_stop_kind(sl_stop_reason reason) {
  switch (reason) {
#define KIND(name, kind, ...) case SL_STOP_##name: return kind;
    SL_STOPS(KIND, KIND)
#undef KIND
    default: return NULL;
  }
}

/* A figure as it is in messages. */
typedef struct figure {
  char text[32];
} figure;

static figure shown(double number, sl_unit unit) {
  figure it;
  double gigabytes = number / (1 << 30);
  if (unit == SL_NANOSECONDS) {
    snprintf(it.text, sizeof it.text, "%g s", number / NANOSECONDS);
  } else if (unit == SL_COUNT) {
    snprintf(it.text, sizeof it.text, "%.0f", number);
  } else if (gigabytes >= 1) {
    /* `%g` would write 10,000 and more with an exponent. */
    snprintf(it.text, sizeof it.text, gigabytes < 1000 ? "%.4g GB" : "%.0f GB", gigabytes);
  } else if (number >= 1 << 20) {
    snprintf(it.text, sizeof it.text, "%.4g MB", number / (1 << 20));
  } else if (number >= 1 << 10) {
    snprintf(it.text, sizeof it.text, "%.4g KB", number / (1 << 10));
  } else {
    snprintf(it.text, sizeof it.text, "%.0f bytes", number);
  }
  return it;
}

/* Sets the message of a stop, unless the host has set it, and its two figures. */
static void describe(const sl_vm *vm, sl_failure *stop) {
  const char *message;
  sl_unit unit;
  stop->reached = vm->stop.figure;
  switch (vm->stop.reason) {
#define LIMIT(name, kind, field, its_unit, its_message) \
  case SL_STOP_##name:                                  \
    stop->allowed = (double)vm->limits.field;           \
    unit = its_unit;                                    \
    message = its_message;                              \
    break;
#define STOP(name, kind)
    SL_STOPS(LIMIT, STOP)
#undef LIMIT
#undef STOP
    default:
      stop->allowed = vm->stop.figure; /* the host counts one by one */
      stop->reached = stop->allowed + 1;
      /* With a limit of the host comes its message. An interruption has none, unless the test framework ends a test, and its
       * figures are not read. */
      if (stop->message.count == 0) sl_text_print(&stop->message, "interrupted");
      return;
  }
  if (stop->message.count == 0) {
    figure most = shown(stop->allowed, unit);
    figure has = shown(vm->stop.reason == SL_STOP_MEMORY ? (double)vm->turn.before : stop->reached, unit);
    sl_text_print(&stop->message, message, most.text, has.text);
  }
  if (unit == SL_NANOSECONDS) {
    stop->allowed /= NANOSECONDS;
    stop->reached /= NANOSECONDS;
  }
}

void sl_record_stop_location(sl_vm *vm, lua_State *L) {
  sl_failure *stop = &vm->stop.failure;
  if (vm->stop.is_recorded) return;
  vm->stop.is_recorded = true;
  stop->reason = vm->stop.reason;
  describe(vm, stop);
  sl_locate(stop, L, 0);
  sl_trace(L, &stop->traceback);
}

void sl_take_stop_location(sl_vm *vm) {
  if (vm->stop.is_recorded) return;
  sl_record_stop_location(vm, vm->running);
  sl_copy_failure_location(&vm->stop.failure, &vm->failure);
}

static void forget_stop(sl_vm *vm) {
  sl_clear_failure(&vm->stop.failure);
  sl_restore_call_name(vm);
  vm->memory.lacks = vm->stop.has_raised = vm->stop.is_recorded = false;
  vm->memory.refused = 0;
  vm->stop.reason = SL_STOP_NONE;
  sl_set_bounds(vm);
}

void sl_push_stop(lua_State *L, sl_vm *vm) {
  sl_record_stop_location(vm, L);
  lua_pushlstring(L, vm->stop.failure.message.bytes, vm->stop.failure.message.count);
}

int sl_copy_stop_to_failure(sl_vm *vm) {
  sl_record_stop_location(vm, vm->running);
  sl_copy_failure(&vm->failure, &vm->stop.failure);
  return LUA_ERRRUN;
}

void sl_end_memory_stop(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  if (vm->stop.reason != SL_STOP_MEMORY && vm->stop.reason != SL_STOP_GROWTH) return;
  forget_stop(vm);
  sl_set_count_hook(L);
}

/* ---- The hook ----------------------------------------------------------------------------------------------------------- */

/* Whether the limit on instructions is exceeded, so that scripts are being stopped. */
static bool count_instructions(lua_State *L, sl_vm *vm, uint64_t counted) {
  bool is_too_long = sl_count_down(&vm->turn.instructions, counted);
  if (L == vm->body.thread) sl_count_slice(&vm->body, counted);
  if (!is_too_long || !sl_can_stop(&vm->turn)) return false;
  vm->stop.reason = SL_STOP_INSTRUCTIONS;
  vm->stop.figure = (double)vm->limits.instructions;
  sl_set_stop_hook(L);
  return true;
}

/* Runs at each call and instruction while scripts are being stopped. */
static void raise_stop(lua_State *L, sl_vm *vm) {
  bool is_memory = vm->stop.reason == SL_STOP_MEMORY || vm->stop.reason == SL_STOP_GROWTH;
  if (is_memory && !vm->stop.has_raised && sl_finds_room(L, vm)) {
    forget_stop(vm);
    /* The instructions since the last count are unknown, but not more than this. */
    uint64_t lost = counted_at_a_time(vm);
    if (vm->turn.losses < 10) vm->turn.losses += 2;
    if (!count_instructions(L, vm, lost)) {
      sl_set_count_hook(L);
      return;
    }
  }
  vm->stop.has_raised = true;
  sl_push_stop(L, vm);
  lua_error(L);
}

static void set_count_hook(lua_State *L, bool restarts);

static void count(lua_State *L, sl_vm *vm) {
  if (count_instructions(L, vm, (uint64_t)lua_gethookcount(L))) {
    raise_stop(L, vm);
  } else if (L == vm->body.thread && sl_take_cancellation(&vm->body)) {
    sl_set_count_hook(L);
    sl_push_cancelled(L);
    lua_error(L);
  } else if (L == vm->body.thread && vm->body.slice.is_over) {
    sl_suspend(L, vm);
  } else {
    set_count_hook(L, false);
  }
}

static void hook(lua_State *L, lua_Debug *activation) {
  sl_vm *vm = sl_vm_of(L);
  if (vm->stop.reason != SL_STOP_NONE) {
    raise_stop(L, vm);
  } else if (activation->event == LUA_HOOKLINE) {
    sl_count_line(L, activation);
  } else if (activation->event == LUA_HOOKCOUNT) {
    count(L, vm);
  } else {
    sl_set_count_hook(L); /* the hook was left on a coroutine after a stop */
  }
}

/* Sets the hook, unless it is set like this; then the count goes on from where it is. Lua visits each frame of the stack to set
 * a hook, and there may be a million. In a signal handler that may take longer than the time until the next signal, so that
 * scripts would never reach the instruction that stops them. */
static void keep_hook(lua_State *L, int mask, int count) {
  if (lua_gethook(L) == hook && lua_gethookmask(L) == mask && lua_gethookcount(L) == count) return;
  lua_sethook(L, mask == 0 ? NULL : hook, mask, count);
}

/* Includes calls, because library functions may call each other for long without an instruction of Lua. */
void sl_set_stop_hook(lua_State *L) { keep_hook(L, LUA_MASKCALL | LUA_MASKCOUNT, 1); }

/* `restarts`: the count begins again. Lua has done that already where it calls the hook. */
static void set_count_hook(lua_State *L, bool restarts) {
  const sl_vm *vm = sl_vm_of(L);
  uint64_t count = counted_at_a_time(vm), slice = L == vm->body.thread ? vm->body.slice.left : 0;
  if (vm->turn.instructions > 0 && vm->turn.instructions < count) count = vm->turn.instructions;
  if (slice > 0 && slice < count) count = slice;
  bool ends = L == vm->body.thread && (vm->body.slice.is_over || vm->body.is_cancelled);
  bool counts = vm->turn.instructions > 0 || slice > 0 || ends;
  int mask = (vm->testing.counts_lines ? LUA_MASKLINE : 0) | (counts ? LUA_MASKCOUNT : 0);
  if (ends) count = 1;
  if (restarts && count > 1) {
    lua_sethook(L, mask == 0 ? NULL : hook, mask, (int)count);
  } else {
    keep_hook(L, mask, (int)count);
  }
}

void sl_set_count_hook(lua_State *L) { set_count_hook(L, true); }

/* ---- Starting and ending a stop -------------------------------------------------------------------------------------- */

void sl_stop(sl_vm *vm, sl_stop_reason reason, double allowed, const char *message, size_t length) {
  sl_text_set(&vm->stop.failure.message, message, length);
  vm->stop.reason = reason;
  vm->stop.figure = allowed;
  sl_set_stop_hook(vm->running);
}

void sl_stop_here(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  sl_set_stop_hook(L);
  vm->stop.has_raised = true;
  sl_push_stop(L, vm);
  lua_error(L);
  __builtin_unreachable();
}

void sl_stop_at_size(lua_State *L, sl_stop_reason reason, size_t size) {
  sl_vm *vm = sl_vm_of(L);
  if (vm->stop.reason != SL_STOP_NONE) sl_stop_here(L);
  vm->stop.reason = reason;
  vm->stop.figure = (double)size;
  if (sl_can_stop(&vm->turn)) sl_stop_here(L);
  sl_push_stop(L, vm);
  forget_stop(vm);
  lua_error(L);
  __builtin_unreachable();
}

void sl_end_stop(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  if (vm->stop.reason == SL_STOP_NONE) return;
  bool is_counted = vm->stop.reason == SL_STOP_INSTRUCTIONS;
  forget_stop(vm);
  if (is_counted && vm->turn.depth > 0) vm->turn.instructions = vm->limits.instructions;
  sl_set_count_hook(L);
  sl_restart_turn(vm);
}
