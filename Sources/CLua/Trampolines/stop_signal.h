/* The signal of the watchdog and its handler, which every thread of the process shares. What changes them is called under the watchdog's
 * lock. */
#ifndef CLUA_STOP_SIGNAL_H
#define CLUA_STOP_SIGNAL_H

#include <stdbool.h>

/* In the handler: stops what has to be stopped on this thread. Whether the watchdog sent the signal: watch.c. */
bool sl_take_signal(void);

/* Puts the handler in place, once. */
void sl_install_signal(void);
/* Puts the former handler back, if no other one came in between. */
void sl_uninstall_signal(void);
/* Makes it another signal; false while the handler is in place for this one, or if it is none that can be had. */
bool sl_set_signal(int signal);

#endif
