/* The signal of the watchdog and its handler, which all threads of the process share. The functions that change them are
 * called under the watchdog's lock. */
#ifndef CLUA_STOP_SIGNAL_H
#define CLUA_STOP_SIGNAL_H

#include <stdbool.h>

/* Called by the handler: stops scripts on this thread if they have to be stopped (watches.c). Returns whether the
 * watchdog sent the signal. */
bool sl_take_signal(void);

/* Installs the handler; does nothing if it is installed. */
void sl_install_signal(void);
/* Restores the previous handler, unless another handler was installed since. */
void sl_uninstall_signal(void);
/* Chooses another signal. False while the handler is installed for the current one, or if `signal` cannot be handled. */
bool sl_set_signal(int signal);

#endif
