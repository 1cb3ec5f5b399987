/* What a closure of the host finds its way back by. */
#include "clua.h"

static _Thread_local void *within;

void *sl_within(void) { return within; }

void *sl_enter(void *whose) {
  void *outer = within;
  within = whose;
  return outer;
}
