/* What the watchdog's thread and the threads that run scripts share.
 *
 * Each thread that runs scripts has a record. One word of it, `request`, says whether and why what runs is to stop: the
 * watchdog's thread and threads that cancel set bits of it and send a signal; `sl_take_request` acts on it, on the thread
 * that runs the scripts. Invariants:
 * 1. `turn` is odd while a turn runs and even between turns. Only the thread itself changes it. Each turn, and each
 *    restart of one, has another number; so has a turn of a VM inside that of another one, if it has a time limit, and
 *    the rest of the outer turn.
 * 2. A request is valid for the turn whose number it has, so that a request never outlives its turn.
 * 3. The watchdog measures a turn from the moment at which it first saw its number. So a turn may run about one tick
 *    longer than its allowance.
 * 4. No other thread touches the VM. Others write atomic fields (`request`, `taken`, `is_sent`, those of an sl_cancel)
 *    and send the signal. Everything else happens on the thread that runs the scripts.
 * 5. While nothing would catch the error, or scripts are being stopped already, a request is not taken. It is taken by
 *    the next signal, which the watchdog sends again until the turn is over, or at the next call of `protect`.
 * 6. A lock protects the list of records, the state of the watchdog's thread and the signal's handler. A thread takes it
 *    before it frees its record. */
#ifndef CLUA_THREAD_RECORD_H
#define CLUA_THREAD_RECORD_H

#include <pthread.h>
#include <stdatomic.h>

#include "limits/internal.h"

/* The reasons of a request: bits of the word. */
enum {
  SL_WANTS_SLICE_END = 1, /* the slice of the running body is over */
  SL_WANTS_CANCEL = 2,    /* an sl_cancel of the thread was cancelled; its `is_requested` says which one */
  SL_WANTS_TIME_STOP = 4, /* the time of the turn is over */
  SL_WANTS_BITS = 3,      /* the number of these bits; above them is the number of the turn */
};

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
  _Atomic uint64_t request; /* SL_WANTS_… and the number of a turn */
  _Atomic int64_t allowance; /* nanoseconds of the turn; 0: no limit */
  _Atomic int64_t slice;  /* nanoseconds of the running body's slice; 0: no body, or no limit */
  _Atomic int64_t taken;  /* nanoseconds that the turn, or its slice, had taken when its time was over */
  /* The fields below belong to the watchdog's thread. */
  uint64_t seen;
  int64_t since, processor; /* `sl_now` when `seen` was first seen, and the thread's processor time at that moment */
  int64_t signalled;        /* `sl_now` when the thread was signalled last */
  struct sl_thread_record *next;
};

/* Adds to the request for a turn. From any thread, if the record exists. */
static inline void sl_request(struct sl_thread_record *record, uint64_t turn, uint64_t wanted) {
  uint64_t before = atomic_load(&record->request), after;
  do {
    after = (before >> SL_WANTS_BITS == turn ? before : turn << SL_WANTS_BITS) | wanted;
  } while (!atomic_compare_exchange_weak(&record->request, &before, after));
}

/* What is requested of a turn: SL_WANTS_…; 0: nothing. */
static inline int sl_requested(const struct sl_thread_record *record, uint64_t turn) {
  uint64_t request = atomic_load(&record->request);
  return request >> SL_WANTS_BITS == turn ? (int)(request & ((1 << SL_WANTS_BITS) - 1)) : 0;
}

/* What another thread cancels: the turns of a VM (``LuaInterrupt``), or what runs under a watch. */
struct sl_cancel {
  bool lasts; /* of a watch: a request stays, and stops each VM that runs under the watch once */
  atomic_bool is_requested;
  struct sl_thread_record *_Atomic record; /* of the thread that runs what can be cancelled; null: nothing runs */
};

struct sl_watch {
  sl_cancel cancel;
  struct sl_thread_record *record; /* of the thread that runs scripts under the watch */
  sl_vm *vm;
  int64_t allowance;
  int64_t replaced; /* the time limit of the VM, which the allowance replaces until the watch ends */
  _Atomic int64_t deadline;
};

/* ---- The watchdog's thread: clock_thread.c. The calling thread must not hold the lock. --------------------------- */

void sl_lock_records(void);
void sl_unlock_records(void);
/* Adds the record of the calling thread, which is removed and freed when the thread ends. False if there is no
 * memory. */
bool sl_add_record(struct sl_thread_record *record);
/* How long the turn of the calling thread's record has taken until `now` since it got its number. */
int64_t sl_time_taken(struct sl_thread_record *record, int64_t now);
/* Sends the signal to a thread. Called under the lock. */
void sl_send_signal(struct sl_thread_record *record);
/* The watchdog sleeps, or will sleep after one more tick: a turn that begins has to call `sl_wake_watchdog`. */
extern atomic_bool sl_watchdog_is_parked;
void sl_wake_watchdog(void);

/* ---- The signal: stop_signal.c ----------------------------------------------------------------------------------- */

/* The record of the calling thread; null if it has none. */
struct sl_thread_record *sl_record_here(void);
void sl_set_record_here(struct sl_thread_record *record);
/* Does what is requested of the calling thread, if `vm` can be stopped now. The signal's handler calls it, and each
 * function that ends a state in which the handler could not act. */
void sl_take_request(struct sl_thread_record *record, sl_vm *vm);

/* These three are called under the lock. Installs the handler; does nothing if it is installed. */
void sl_install_signal(void);
/* Restores the previous handler, unless another handler was installed since. */
void sl_uninstall_signal(void);
/* Chooses another signal. False while the handler is installed for the current one, or if `signal` cannot be handled. */
bool sl_set_signal(int signal);

/* ---- Turns that are watched: turns.c ----------------------------------------------------------------------------- */

/* The record of the calling thread, for the turns of `vm`. Null if there is no memory or no watchdog's thread. */
struct sl_thread_record *sl_make_record_here(sl_vm *vm);
/* Begins a turn of `vm`, which may take `allowance` nanoseconds (0: no limit), or the rest of one that has taken `spent`. */
void sl_begin_watched(struct sl_thread_record *record, sl_vm *vm, int64_t allowance, int64_t spent);

#endif
