/* The watchdog's thread: it measures the turns of all threads that run scripts, and signals those that take too long. What
 * the signal does is in stop_signal.c; thread_record.h has the invariants.
 *
 * States of the watchdog thread:
 *
 *              no scripts ran                      again none
 *   [looking] ----------------> [parked, one tick] ----------> [parked, asleep]
 *     ^  ^                         |                               |
 *     |  +---- scripts ran --------+                               |
 *     +------------- a turn begins and finds it parked: wake ------+ */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#ifdef __APPLE__
#include <mach/mach.h>
#endif

#include "limits/thread_record.h"

/* TICK: nanoseconds between two looks while scripts run, at most; also the error of a turn's measured time. LEAST_TICK:
 * the least time after which the watchdog looks at a slice again. */
enum { TICK = 10000000, LEAST_TICK = 1000000 };

/* Nanoseconds between two signals for the same request: the thread may be inside a host function that waits. */
enum { AGAIN = 100000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_key_t ending;
static struct sl_thread_record *records = NULL;
static bool is_there = false;
static int watched = 0; /* the number of VMs that may need the signal's handler */
atomic_bool sl_watchdog_is_parked = false;

/* Waits for a change, or until `time` as `sl_now` counts. Called under the lock. */
static void wait_until(int64_t time) {
#ifdef __APPLE__
  int64_t left = time - sl_now();
  if (left < 0) left = 0;
  struct timespec relative = {left / NANOSECONDS, left % NANOSECONDS};
  pthread_cond_timedwait_relative_np(&changed, &lock, &relative);
#else
  struct timespec absolute = {time / NANOSECONDS, time % NANOSECONDS};
  pthread_cond_timedwait(&changed, &lock, &absolute);
#endif
}

/* The processor time of a thread. A body's slice counts in it, so that it does not end while other threads have the
 * processor. */
static int64_t processor_time(pthread_t thread) {
#ifdef __APPLE__
  thread_basic_info_data_t info;
  mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
  if (thread_info(pthread_mach_thread_np(thread), THREAD_BASIC_INFO, (thread_info_t)&info, &count) != KERN_SUCCESS) return sl_now();
  int64_t seconds = (int64_t)info.user_time.seconds + info.system_time.seconds;
  return seconds * NANOSECONDS + ((int64_t)info.user_time.microseconds + info.system_time.microseconds) * 1000;
#else
  clockid_t clock;
  struct timespec time;
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) return sl_now();
  return (int64_t)time.tv_sec * NANOSECONDS + time.tv_nsec;
#endif
}

void sl_send_signal(struct sl_thread_record *record) {
  if (record->is_gone) return;
  atomic_store(&record->is_sent, true);
  pthread_kill(record->thread, sl_watch_signal());
}

/* Signals a thread whose turn takes too long or was cancelled, or whose body's slice is over. Returns when to look again.
 * Called under the lock. */
static int64_t check_turn(struct sl_thread_record *record, uint64_t turn, int64_t now) {
  int64_t next = now + TICK;
  int64_t allowance = atomic_load(&record->allowance), slice = atomic_load(&record->slice);
  int wanted = sl_requested(record, turn);
  bool signals = (wanted & (SL_WANTS_TIME_STOP | SL_WANTS_CANCEL)) && now - record->signalled >= AGAIN;
  uint64_t over = 0;
  if (allowance > 0 && !(wanted & SL_WANTS_TIME_STOP)) {
    int64_t due = record->since + allowance;
    if (due <= now) {
      over = SL_WANTS_TIME_STOP;
    } else if (due < next) {
      next = due;
    }
  }
  if (slice > 0 && over == 0 && !(wanted & SL_WANTS_TIME_STOP)) {
    int64_t left = slice - (processor_time(record->thread) - record->processor);
    if (left <= 0) over = SL_WANTS_SLICE_END;
    if (left < LEAST_TICK) left = LEAST_TICK;
    if (over == 0 && now + left < next) next = now + left;
  }
  if (over != 0) {
    atomic_store(&record->taken, now - record->since);
    sl_request(record, turn, over);
  }
  if (over != 0 || signals) {
    record->signalled = now;
    sl_send_signal(record);
  }
  return next;
}

/* Whether scripts have run since the last look. `next` receives the time of the next look. Called under the lock. */
static bool look(int64_t now, int64_t *next) {
  bool has_run = false;
  *next = now + TICK;
  for (struct sl_thread_record *record = records; record != NULL; record = record->next) {
    uint64_t turn = atomic_load(&record->turn);
    if (turn != record->seen) {
      record->seen = turn;
      record->since = now;
      if (turn % 2 != 0) record->processor = processor_time(record->thread);
      has_run = true;
    }
    if (turn % 2 == 0) continue;
    has_run = true;
    int64_t due = check_turn(record, turn, now);
    if (due < *next) *next = due;
  }
  return has_run;
}

static void *keep_looking(void *nothing) {
  pthread_mutex_lock(&lock);
  for (;;) {
    int64_t next;
    bool was_parked = atomic_load(&sl_watchdog_is_parked);
    if (look(sl_now(), &next)) {
      atomic_store(&sl_watchdog_is_parked, false);
    } else if (!was_parked) {
      /* One more tick, for a turn whose begin was not visible yet. */
      atomic_store(&sl_watchdog_is_parked, true);
    } else {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    wait_until(next);
  }
  return nothing;
}

void sl_lock_records(void) { pthread_mutex_lock(&lock); }
void sl_unlock_records(void) { pthread_mutex_unlock(&lock); }

int64_t sl_time_taken(struct sl_thread_record *record, int64_t now) {
  pthread_mutex_lock(&lock);
  bool is_seen = record->seen == atomic_load(&record->turn);
  int64_t taken = is_seen && now > record->since ? now - record->since : 0;
  pthread_mutex_unlock(&lock);
  return taken;
}

bool sl_add_record(struct sl_thread_record *record) {
  if (pthread_setspecific(ending, record) != 0) return false;
  pthread_mutex_lock(&lock);
  record->next = records;
  records = record;
  pthread_mutex_unlock(&lock);
  return true;
}

/* Runs when the thread ends. */
static void forget_record(void *ended) {
  pthread_mutex_lock(&lock);
  for (struct sl_thread_record **at = &records; *at != NULL; at = &(*at)->next) {
    if (*at != ended) continue;
    *at = (*at)->next;
    break;
  }
  pthread_mutex_unlock(&lock);
  sl_set_record_here(NULL); /* for a signal that has been sent already */
  free(ended);
}

static void make_condition(void) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
#ifndef __APPLE__
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
  pthread_cond_init(&changed, &attributes);
  pthread_condattr_destroy(&attributes);
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

/* A child process has only the thread that forked. Its next turn starts a new watchdog. The records of the other threads
 * are not freed, because watches may point to them. */
static void after_fork_in_child(void) {
  struct sl_thread_record *here = sl_record_here();
  for (struct sl_thread_record *record = records; record != NULL; record = record->next) {
    record->is_gone = record != here;
    atomic_store(&record->is_sent, false);
  }
  records = here;
  if (here != NULL) here->next = NULL;
  is_there = false;
  atomic_store(&sl_watchdog_is_parked, true);
  make_condition();
  pthread_mutex_unlock(&lock);
}

/* Sets up what a process needs once. Called under the lock. */
static bool set_up(void) {
  static bool is_set_up = false;
  if (is_set_up) return true;
  if (pthread_key_create(&ending, forget_record) != 0) return false;
  if (pthread_atfork(before_fork, after_fork, after_fork_in_child) != 0) {
    pthread_key_delete(ending);
    return false;
  }
  make_condition();
  is_set_up = true;
  return true;
}

/* Starts the watchdog thread if it does not run. Called under the lock. */
static bool begin_looking(void) {
  if (is_there) return true;
  if (!set_up()) return false;
  /* The new thread blocks all signals, so that it does not receive those of the process. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  is_there = sl_start_thread(keep_looking, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return is_there;
}

void sl_wake_watchdog(void) {
  pthread_mutex_lock(&lock);
  bool can = begin_looking(); /* after a fork there may be no watchdog thread */
  if (can && atomic_exchange(&sl_watchdog_is_parked, false)) pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

/* Restores the previous handler, unless a signal has been sent that the previous handler would receive. Called under the
 * lock. */
static void give_up_signal(void) {
  for (struct sl_thread_record *record = records; record != NULL; record = record->next) {
    if (atomic_load(&record->is_sent)) return;
  }
  sl_uninstall_signal();
}

bool sl_watch_vm(sl_vm *vm) {
  pthread_mutex_lock(&lock);
  bool can = begin_looking();
  if (can && !vm->watchdog.is_watched) {
    vm->watchdog.is_watched = true;
    watched++;
    sl_install_signal();
  }
  pthread_mutex_unlock(&lock);
  return can;
}

void sl_unwatch_vm(sl_vm *vm) {
  if (!vm->watchdog.is_watched) return;
  pthread_mutex_lock(&lock);
  vm->watchdog.is_watched = false;
  if (--watched == 0) give_up_signal();
  pthread_mutex_unlock(&lock);
}

bool sl_choose_watch_signal(int signal) {
  pthread_mutex_lock(&lock);
  if (watched == 0) give_up_signal();
  bool can = sl_set_signal(signal);
  pthread_mutex_unlock(&lock);
  return can;
}
