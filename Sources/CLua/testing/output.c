/* What scripts print in a test. */
#include <stdlib.h>

#include "testing/internal.h"

/* Bytes of output that one test may print. */
enum { MOST_OUTPUT = 1 << 20 };

void sl_collect_output(sl_testing *testing, const char *bytes, size_t length) {
  if (testing->output.count < MOST_OUTPUT) sl_text_append(&testing->output, bytes, length);
}

void sl_free_testing(sl_testing *testing) {
  free(testing->output.bytes);
  sl_free_lines(testing);
}
