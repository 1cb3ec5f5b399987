/* Starting threads of the operating system. */
#ifndef CLUA_OS_THREADS_H
#define CLUA_OS_THREADS_H

#include <stdbool.h>

/* Runs `body` on a new detached thread with 8 MB of stack, which scripts need. False if no thread can be created. */
bool sl_start_thread(void (*body)(void *data), void *data);

#endif
