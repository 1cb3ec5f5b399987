/* What the calling thread is inside of: a lock's owner that it must not enter another one under, or null.
 *
 * A thread's own variable, because Swift has none that is read in a nanosecond.
 */
#ifndef CLUA_INSIDE_H
#define CLUA_INSIDE_H

extern _Thread_local void *sl_inside_of;

static inline void *sl_inside(void) { return sl_inside_of; }
static inline void sl_set_inside(void *owner) { sl_inside_of = owner; }

#endif
