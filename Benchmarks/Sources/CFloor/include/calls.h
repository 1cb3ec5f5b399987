/* The floor of calls of a host function: a function in C that a script calls in a loop. */
#ifndef CALLS_H
#define CALLS_H

#include <stdint.h>

typedef struct floor_calls floor_calls;

/* Lua with the global `add(a, b)` in C, and the chunk `source`; null if there is no memory or `source` does not compile. */
floor_calls *floor_calls_open(const char *source);
void floor_calls_close(floor_calls *floor);
/* Calls the chunk with `count`, and returns its first result. */
int64_t floor_calls_run(floor_calls *floor, int64_t count);

#endif
