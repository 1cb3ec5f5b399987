/* The signal with which the watchdog stops scripts: its handler shares it with what was there before. */
#include "stop_signal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "tsan.h"
#include "watch.h"

/* A host may choose another one. SIGURG is ignored unless somebody asks for it, so that one too many hurts nobody. */
static _Atomic int stop_signal = SIGURG;

/* The signal that has the handler; 0: none. */
static int installed = 0;

/* What was there before the handler. It is set before the handler is. */
static struct sigaction former;

int sl_watch_signal(void) { return atomic_load_explicit(&stop_signal, memory_order_relaxed); }

SL_UNSEEN_BEGIN

/* Signals that somebody else sent go on to the handler that was there before. */
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

/* ThreadSanitizer holds a signal back until the thread calls the C library, which a loop in Lua never does. So the handler is put in
 * place of its own, with the way back that it has found. */
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

/* A handler that came in between may call this one. */
void sl_uninstall_signal(void) {
  if (installed == 0) return;
  struct sigaction now;
  sigaction(installed, NULL, &now);
  if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != handle) return;
  sigaction(installed, &former, NULL);
  installed = 0;
}

bool sl_set_signal(int signal) {
  /* The first two cannot be handled, and what the processor raises comes again at once. */
  static const int others[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (signal == others[i]) return false;
  }
  struct sigaction now;
  if ((installed != 0 && installed != signal) || sigaction(signal, NULL, &now) != 0) return false;
  atomic_store(&stop_signal, signal);
  return true;
}
