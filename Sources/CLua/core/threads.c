#include "threads.h"

#include <pthread.h>
#include <stdlib.h>

_Thread_local void *sl_worker_of_thread, *sl_reduce_context_of_thread;

enum { STACK = 8 << 20 };

struct start {
  void (*body)(void *);
  void *data;
};

static void *run(void *start) {
  struct start own = *(struct start *)start;
  free(start);
  own.body(own.data);
  return NULL;
}

bool sl_start_thread(void (*body)(void *), void *data) {
  struct start *start = malloc(sizeof *start);
  if (start == NULL) return false;
  *start = (struct start){body, data};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK);
  pthread_t thread;
  bool started = pthread_create(&thread, &attributes, run, start) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) free(start);
  return started;
}
