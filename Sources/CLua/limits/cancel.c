/* Cancelling what a VM runs from another thread, and watches: periods that a host cancels and measures.
 *
 * `sl_request_cancel` sets `is_requested`, then the bit of the thread's request, and sends the signal. `take_cancel` in
 * stop_signal.c stops the VM. Invariants:
 * 1. A request of a VM's sl_cancel never outlives its turn: the VM's thread clears it when the next turn begins, before it
 *    sets `record`, and nothing is requested while `record` is null.
 * 2. `sl_request_cancel` reads `record` under the lock of the records, and a thread takes that lock before it frees its
 *    record, so the record that was read exists until the lock is released.
 * 3. The signal may come while another VM runs inside of this one. So the watchdog sends it again, and the end of an inner
 *    VM's turn takes the request. */
#include <stdlib.h>

#include "limits/thread_record.h"

sl_cancel *sl_cancel_new(void) { return calloc(1, sizeof(sl_cancel)); }

void sl_cancel_free(sl_cancel *cancel) { free(cancel); }

bool sl_set_cancel(sl_vm *vm, sl_cancel *cancel) {
  if (!sl_watch_vm(vm)) return false;
  vm->watchdog.cancel = cancel;
  if (vm->turn.depth > 0) sl_begin_cancellable(vm);
  return true;
}

void sl_begin_cancellable(sl_vm *vm) {
  sl_cancel *cancel = vm->watchdog.cancel;
  if (vm->watchdog.record == NULL) sl_watch_turn(vm); /* the turn has no time limit, but may be cancelled */
  atomic_store(&cancel->is_requested, false);
  atomic_store(&cancel->record, vm->watchdog.record);
}

void sl_end_cancellable(sl_vm *vm) { atomic_store(&vm->watchdog.cancel->record, NULL); }

void sl_request_cancel(sl_cancel *cancel) {
  sl_lock_records();
  struct sl_thread_record *record = atomic_load(&cancel->record);
  if (record != NULL || cancel->lasts) atomic_store(&cancel->is_requested, true);
  if (record != NULL) {
    sl_request(record, atomic_load(&record->turn), SL_WANTS_CANCEL);
    sl_send_signal(record);
  }
  sl_unlock_records();
}

void sl_begin_protection(sl_vm *vm) {
  vm->turn.protections++;
  struct sl_thread_record *record = vm->watchdog.record;
  if (record != NULL && record->vm == vm) sl_take_request(record, vm);
}

void sl_end_protection(sl_vm *vm) { vm->turn.protections--; }

/* ---- Watches ----------------------------------------------------------------------------------------------------- */

sl_watch *sl_watch_new(void) {
  sl_watch *watch = calloc(1, sizeof *watch);
  if (watch == NULL) return NULL;
  watch->cancel.lasts = true;
  atomic_store(&watch->deadline, INT64_MAX);
  return watch;
}

void sl_watch_free(sl_watch *watch) { free(watch); }

bool sl_watch_begin(sl_watch *watch, sl_vm *vm, int64_t allowance, bool guards) {
  struct sl_thread_record *record = sl_make_record_here(vm);
  if (record == NULL) return false;
  watch->replaced = vm->limits.time;
  vm->limits.time = allowance;
  vm->turn.is_guarded = guards;
  if (!guards) vm->stop.is_interrupted = false;
  watch->allowance = allowance;
  watch->vm = vm;
  watch->record = record;
  atomic_store(&watch->cancel.record, record);
  record->watch = watch;
  sl_begin_turn(vm);
  if (vm->watchdog.record == NULL) sl_watch_turn(vm); /* the turn has no time limit, but may be interrupted */
  sl_watch_restart(watch);
  sl_take_request(record, vm);
  return true;
}

void sl_watch_end(sl_watch *watch) {
  sl_vm *vm = watch->vm;
  sl_end_turn(vm);
  vm->limits.time = watch->replaced;
  vm->turn.is_guarded = false;
  watch->record->watch = NULL;
  atomic_store(&watch->cancel.record, NULL);
  watch->vm = NULL;
  atomic_store(&watch->deadline, INT64_MAX);
}

void sl_watch_restart(sl_watch *watch) {
  if (watch->allowance == 0) return;
  sl_begin_watched(watch->record, watch->vm, watch->allowance, 0);
  atomic_store(&watch->deadline, sl_now() + watch->allowance);
}

int64_t sl_watch_deadline(const sl_watch *watch) { return atomic_load(&watch->deadline); }

void sl_watch_interrupt(sl_watch *watch) { sl_request_cancel(&watch->cancel); }

bool sl_watch_is_interrupted(const sl_watch *watch) { return atomic_load(&watch->cancel.is_requested); }
