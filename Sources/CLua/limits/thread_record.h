/* What the watchdog thread and the threads that run scripts share.
 *
 * Each thread that runs scripts has a record. Invariants:
 * 1. `turn` is odd while a turn runs and even between turns. Only the thread itself changes it. Each turn, and each
 *    restart of one, has another number; so has a turn of a VM inside that of another one, if it has a time limit, and
 *    the rest of the outer turn.
 * 2. The watchdog measures a turn from the moment at which it first saw its number. So a turn may run about one tick
 *    longer than its allowance.
 * 3. No other thread touches the VM. The watchdog, `sl_watch_interrupt` and `sl_interrupt_cancel` write atomic fields
 *    (`over`, `sliced`, `taken`, `is_sent`, `interrupted`, `cancelled`, `state`) and send the signal. Everything else
 *    happens in the handler, on the thread that runs the scripts.
 * 4. If nothing would catch the error, the handler does nothing, and the watchdog sends the signal again at the next
 *    look, until the turn is over.
 * 5. A lock protects the list of records, the state of the watchdog thread and the signal's handler. */
#ifndef CLUA_THREAD_RECORD_H
#define CLUA_THREAD_RECORD_H

#include <pthread.h>
#include <stdatomic.h>

#include "limits/internal.h"

enum { NANOSECONDS = 1000000000 };

/* The record of a thread that runs scripts. It exists until the thread ends. */
struct sl_thread_record {
  pthread_t thread;
  int unblocked; /* the signal that this thread has unblocked */
  bool is_gone;  /* after a fork: the thread exists only in the parent process */
  atomic_bool is_sent; /* the watchdog has sent a signal that is not handled yet */
  sl_vm *vm; /* the VM whose turn runs, the innermost one */
  sl_watch *watch;
  int64_t spent; /* what the turn had taken before it got its present number, in nanoseconds */
  _Atomic uint64_t turn; /* invariant 1 */
  _Atomic int64_t allowance;
  _Atomic uint64_t over;  /* the turn whose time is over */
  _Atomic int64_t taken;  /* how long that turn had taken, in nanoseconds */
  _Atomic uint64_t stopped; /* the turn that the handler has stopped for its time */
  _Atomic int64_t slice;    /* nanoseconds of the running body's slice; 0: no body, or no limit */
  _Atomic uint64_t sliced;  /* the turn of which a slice is over */
  _Atomic uint64_t cancelled; /* the turn in which a VM was interrupted (cancel.c) */
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

/* The states of an interrupt: cancel.c. */
enum { SL_INTERRUPT_RESTING, SL_INTERRUPT_RUNNING, SL_INTERRUPT_REQUESTED, SL_INTERRUPT_TAKEN };

struct sl_interrupt {
  atomic_int state;
  struct sl_thread_record *_Atomic runner; /* the record of the thread that runs the VM */
};

/* ---- The watchdog thread: clock_thread.c. The calling thread must not hold the lock. --------------------------------- */

void sl_lock_records(void);
void sl_unlock_records(void);
/* Adds the record of the calling thread, which is removed and freed when the thread ends. False if there is no
 * memory. */
bool sl_add_record(struct sl_thread_record *record);
/* How long the turn of the calling thread's record has taken until `now` since it got its number. */
int64_t sl_time_taken(struct sl_thread_record *record, int64_t now);
/* Sends the signal to a thread. Called under the lock. */
void sl_send_signal(struct sl_thread_record *runner);
/* The watchdog sleeps, or will sleep after one more tick: a turn that begins has to call `sl_wake_watchdog`. */
extern atomic_bool sl_watchdog_is_parked;
void sl_wake_watchdog(void);

/* ---- The thread that runs scripts: watches.c --------------------------------------------------------------------- */

/* The record of the calling thread; null if it has none. */
struct sl_thread_record *sl_record_here(void);
/* The calling thread ends: it has no record from now on. */
void sl_forget_record_here(void);

#endif
