/* The worker that the calling thread is inside of (Swift's `Worker`, borrowed, +0), or null. A thread inside one worker
 * must not enter another one: two threads could wait for each other forever.
 *
 * The variable is in C because Swift has no thread-local variable that can be read in a nanosecond. */
#ifndef CLUA_INSIDE_H
#define CLUA_INSIDE_H

extern _Thread_local void *sl_inside_of;

static inline void *sl_inside(void) { return sl_inside_of; }
static inline void sl_set_inside(void *owner) { sl_inside_of = owner; }

#endif
