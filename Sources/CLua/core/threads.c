#include "threads.h"

#include <pthread.h>

_Thread_local void *sl_worker_of_thread, *sl_reduce_context_of_thread;

enum { STACK = 8 << 20 };

bool sl_start_thread(void *(*body)(void *), void *data) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK);
  pthread_t thread;
  bool has_started = pthread_create(&thread, &attributes, body, data) == 0;
  pthread_attr_destroy(&attributes);
  return has_started;
}
