/* The context in which a Swift reducer's closure can run other reducers (clua.h). */
#include "clua.h"

static _Thread_local void *within;

void *sl_within(void) { return within; }

void *sl_enter(void *whose) {
  void *outer = within;
  within = whose;
  return outer;
}
