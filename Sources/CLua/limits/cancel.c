/* Interrupts: another thread stops what a VM runs.
 *
 *              a turn begins             sl_interrupt_cancel               the handler
 *   [RESTING] ---------------> [RUNNING] -------------------> [REQUESTED] -------------> [TAKEN]
 *       ^                          |                               |                        |
 *       +--------------------------+--- the turn ends -------------+------------------------+
 *
 * Invariants:
 * 1. Only the thread that runs the VM leaves RESTING and returns to it, so a request never outlives its turn.
 * 2. `runner` is set before RUNNING. `sl_interrupt_cancel` reads it under the lock of the records, and a thread takes
 *    that lock before it frees its record, so the record that was read exists until the lock is released.
 * 3. The signal can come at a moment when it has no effect: scripts are being stopped for another reason, or another VM
 *    runs inside of this one. So the watchdog sends it again (`cancelled` of the record), and the end of an inner VM's
 *    turn looks for a request. */
#include <stdlib.h>

#include "limits/thread_record.h"

sl_interrupt *sl_interrupt_new(void) { return calloc(1, sizeof(sl_interrupt)); }

void sl_interrupt_free(sl_interrupt *interrupt) { free(interrupt); }

bool sl_set_interrupt(sl_vm *vm, sl_interrupt *interrupt) {
  if (!sl_watch_vm(vm)) return false;
  vm->watchdog.interrupt = interrupt;
  if (vm->turn.depth > 0) sl_begin_interruptible(vm);
  return true;
}

void sl_begin_interruptible(sl_vm *vm) {
  sl_interrupt *interrupt = vm->watchdog.interrupt;
  if (vm->watchdog.runner == NULL) sl_watch_turn(vm); /* the turn has no time limit, but may be interrupted */
  atomic_store(&interrupt->runner, vm->watchdog.runner);
  atomic_store(&interrupt->state, SL_INTERRUPT_RUNNING);
}

void sl_end_interruptible(sl_vm *vm) {
  sl_interrupt *interrupt = vm->watchdog.interrupt;
  atomic_store(&interrupt->state, SL_INTERRUPT_RESTING);
  atomic_store(&interrupt->runner, NULL);
}

void sl_interrupt_cancel(sl_interrupt *interrupt) {
  sl_lock_records();
  int expected = SL_INTERRUPT_RUNNING;
  if (atomic_compare_exchange_strong(&interrupt->state, &expected, SL_INTERRUPT_REQUESTED)) {
    struct sl_thread_record *runner = atomic_load(&interrupt->runner); /* null: the turn has just ended */
    if (runner != NULL) {
      atomic_store(&runner->cancelled, atomic_load(&runner->turn));
      sl_send_signal(runner);
    }
  }
  sl_unlock_records();
}
