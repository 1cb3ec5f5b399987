/* The signal with which the watchdog stops scripts. Its handler shares the signal with the handler that was installed
 * before. */
#include "limits/stop_signal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "core/tsan.h"
#include "watchdog.h"

/* The default, unless the host chooses another signal. The default action of SIGURG is to ignore it, so a signal too many
 * has no effect. */
static _Atomic int stop_signal = SIGURG;

/* The signal that has the handler; 0 if none has. */
static int installed = 0;

/* The handler that was installed before. It is stored before the new handler is installed. */
static struct sigaction former;

int sl_watch_signal(void) { return atomic_load_explicit(&stop_signal, memory_order_relaxed); }

SL_UNSEEN_BEGIN

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
  if (!sl_take_signal()) pass_on(signal, info, context);
  errno = error;
}

SL_UNSEEN_END

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
