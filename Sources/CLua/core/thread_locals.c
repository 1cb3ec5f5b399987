#include "thread_locals.h"

_Thread_local void *sl_worker_of_thread, *sl_reduce_context_of_thread;
