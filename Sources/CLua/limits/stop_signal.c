/* The signal with which the watchdog stops scripts, and what its handler does. The handler shares the signal with the
 * handler that was installed before. thread_record.h has the invariants. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "core/tsan.h"

SL_UNSEEN_BEGIN
#include "core/internal.h"
#include "coroutines/internal.h"
#include "limits/internal.h"
#include "limits/thread_record.h"

/* The default, unless the host chooses another signal. The default action of SIGURG is to ignore it, so a signal too many
 * has no effect. */
static _Atomic int stop_signal = SIGURG;

/* The signal that has the handler; 0 if none has. */
static int installed = 0;

/* The handler that was installed before. It is stored before the new handler is installed. */
static struct sigaction former;

int sl_watch_signal(void) { return atomic_load_explicit(&stop_signal, memory_order_relaxed); }

static _Thread_local struct sl_thread_record *volatile here = NULL;

/* ---- The handler ------------------------------------------------------------------------------------------------- */

/* Starts a stop if `cancel` asks for one. Whether it did. */
static bool take_cancel(sl_cancel *cancel, sl_vm *vm) {
  if (cancel == NULL || !atomic_load(&cancel->is_requested)) return false;
  if (cancel->lasts) {
    if (vm->stop.is_interrupted) return false;
    vm->stop.is_interrupted = true;
  } else {
    atomic_store(&cancel->is_requested, false);
  }
  sl_begin_stop(vm, SL_STOP_INTERRUPT);
  return true;
}

/* May run in the signal's handler, which may interrupt any code: it uses only atomics, and the functions that Lua allows
 * there. */
void sl_take_request(struct sl_thread_record *record, sl_vm *vm) {
  if (!sl_can_stop(&vm->turn) || vm->stop.reason != SL_STOP_NONE) return; /* invariant 5 */
  int wanted = sl_requested(record, atomic_load(&record->turn));
  if ((record->watch != NULL && take_cancel(&record->watch->cancel, vm)) || take_cancel(vm->watchdog.cancel, vm)) {
    sl_set_stop_hook(vm->running);
  } else if (wanted & SL_WANTS_TIME_STOP) {
    sl_begin_stop(vm, SL_STOP_TIME);
    vm->stop.figure = (double)(vm->body.use.time + record->spent + atomic_load(&record->taken));
    sl_set_stop_hook(vm->running);
  } else if ((wanted & SL_WANTS_SLICE_END) && vm->body.thread != NULL && vm->running == vm->body.thread) {
    sl_end_slice_soon(&vm->body);
    sl_set_count_hook(vm->running);
  }
}

/* Whether the watchdog sent the signal. */
static bool take_signal(void) {
  struct sl_thread_record *record = here;
  if (record == NULL) return false;
  uint64_t turn = atomic_load(&record->turn);
  sl_vm *vm = record->vm;
  if (turn % 2 != 0 && vm->stop.reason != SL_STOP_NONE && sl_can_stop(&vm->turn)) {
    /* Scripts may be stopped for another reason, without having reached an instruction since. */
    if (sl_requested(record, turn) & SL_WANTS_TIME_STOP) sl_hide_call_name(vm);
    sl_set_stop_hook(vm->running); /* the interrupted code may have been about to set another hook */
  } else if (turn % 2 != 0) {
    sl_take_request(record, vm);
  }
  return atomic_exchange(&record->is_sent, false);
}

/* Passes a signal that the watchdog did not send to the previous handler. */
static void pass_on(int signal, siginfo_t *info, void *context) {
  if (former.sa_flags & SA_SIGINFO) {
    former.sa_sigaction(signal, info, context);
  } else if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN) {
    former.sa_handler(signal);
  }
}

static void handle(int signal, siginfo_t *info, void *context) {
  int error = errno;
  if (!take_signal()) pass_on(signal, info, context);
  errno = error;
}

SL_UNSEEN_END

struct sl_thread_record *sl_record_here(void) { return here; }
void sl_set_record_here(struct sl_thread_record *record) { here = record; }

/* ---- Installing it ----------------------------------------------------------------------------------------------- */

#ifdef SL_BELOW_TSAN
#include <sys/syscall.h>
#include <unistd.h>

/* ThreadSanitizer holds a signal back until the thread calls the C library, which a loop in Lua never does. So this
 * replaces the handler of ThreadSanitizer in the kernel, with the same restorer. */
static void install_below(int signal) {
  struct {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
  } action;
  syscall(SYS_rt_sigaction, signal, NULL, &action, sizeof action.mask);
  action.handler = (void *)handle;
  action.flags |= (unsigned long)SA_SIGINFO;
  syscall(SYS_rt_sigaction, signal, &action, NULL, sizeof action.mask);
}
#endif

void sl_install_signal(void) {
  if (installed != 0) return;
  int signal = sl_watch_signal();
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigaction(signal, NULL, &former);
  action.sa_sigaction = handle;
  action.sa_flags = SA_RESTART | SA_SIGINFO | (former.sa_flags & SA_ONSTACK);
  sigfillset(&action.sa_mask);
  sigaction(signal, &action, NULL);
#ifdef SL_BELOW_TSAN
  install_below(signal);
#endif
  installed = signal;
}

/* A handler that was installed later may call this one. In that case this one stays. */
void sl_uninstall_signal(void) {
  if (installed == 0) return;
  struct sigaction now;
  sigaction(installed, NULL, &now);
  if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != handle) return;
  sigaction(installed, &former, NULL);
  installed = 0;
}

bool sl_set_signal(int signal) {
  /* SIGKILL and SIGSTOP cannot be handled. The others are raised by an instruction, which would raise them again after
   * the handler. */
  static const int others[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (signal == others[i]) return false;
  }
  struct sigaction now;
  if ((installed != 0 && installed != signal) || sigaction(signal, NULL, &now) != 0) return false;
  atomic_store(&stop_signal, signal);
  return true;
}
