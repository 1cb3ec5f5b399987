/* Threads of our own. */
#ifndef CLUA_START_H
#define CLUA_START_H

#include <stdbool.h>

/* Runs `body` on a thread of its own, with as much stack as scripts need. False if there is none to be had. */
bool sl_start_thread(void (*body)(void *data), void *data);

#endif
