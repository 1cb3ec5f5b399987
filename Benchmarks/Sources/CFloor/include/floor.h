/* The floor of `send`: what Lua itself takes for the same handler, on plain tables. */
#ifndef FLOOR_H
#define FLOOR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct floor_handler floor_handler;

/* The handler under `on[name]` of a feature's script, and a plain table with the feature's state; null if there is none. The
 * script's `require "scripted"` gets a `feature` that returns the definition. */
floor_handler *floor_open(const char *script, const char *name);
void floor_close(floor_handler *floor);

/* A protected call of the handler with the state and a fresh action table, `{ type = name }` or with `by` too. */
bool floor_send(floor_handler *floor);
bool floor_send_by(floor_handler *floor, int64_t by);

/* The state's field `count`. */
int64_t floor_count(floor_handler *floor);

#endif
