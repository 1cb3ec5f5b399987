#include "EmbeddedCommit.h"

const char *embedded_commit(void) { return RUNNER_COMMIT; }
