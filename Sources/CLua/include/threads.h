/* Threads of the operating system: starting one, and variables of a thread. */
#ifndef CLUA_THREADS_H
#define CLUA_THREADS_H

#include <stdbool.h>

/* Runs `body` on a new detached thread with 8 MB of stack, which scripts need. Its result is not read. False if no thread can be
 * created. */
bool sl_start_thread(void *(*body)(void *data), void *data);

/* Variables of a thread. They are in C, because Swift has no thread-local variable that can be read in a nanosecond. */
extern _Thread_local void *sl_worker_of_thread, *sl_reduce_context_of_thread;

/* The worker that the calling thread is inside of (Swift's `Worker`, borrowed, +0), or null. A thread inside one worker
 * must not enter another one: two threads could wait for each other forever. */
static inline void *sl_current_worker(void) { return sl_worker_of_thread; }
static inline void sl_set_current_worker(void *worker) { sl_worker_of_thread = worker; }

/* The `ReduceContext` of the Swift reducer that runs on this thread, borrowed (+0); null if none runs. */
static inline void *sl_current_reduce_context(void) { return sl_reduce_context_of_thread; }
static inline void sl_set_reduce_context(void *context) { sl_reduce_context_of_thread = context; }

#endif
