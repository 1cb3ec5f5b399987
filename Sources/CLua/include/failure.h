/* What is recorded about errors. */
#ifndef CLUA_FAILURE_H
#define CLUA_FAILURE_H

#include "tapes.h"

/* What is recorded about a protected call that failed, or about scripts that were stopped. */
typedef struct sl_failure {
  int status;           /* LUA_ERRRUN, LUA_ERRMEM, LUA_ERRERR, LUA_ERRSYNTAX */
  int reason;           /* SL_STOP_…: the limit that was exceeded */
  double allowed, reached; /* that limit and the value reached, in the limit's unit: seconds, bytes, a count */
  int line;             /* of the innermost script function; -1 if there is none */
  sl_text script;       /* the chunk name of that function as given to `sl_load`, without `@` */
  sl_text message;      /* empty if the error value is not a string and has no `__tostring` */
  sl_text traceback;
  bool has_value;       /* the error value is not a string: it is on `sl_vm.tapes.to_swift` */
  bool is_thrown;       /* the error value is the string that stands for the Swift error thrown last */
} sl_failure;

/* The error that a hook wants C to raise. Swift sets it before the hook returns SL_RAISE. */
typedef struct sl_error {
  sl_text message;
  bool is_thrown;       /* the next string that C raises stands for a Swift error */
} sl_error;

static inline void sl_clear_error(sl_error *error) { error->message.count = 0; }
/* Whether the next string that C raises stands for a Swift error. */
static inline void sl_set_thrown(sl_error *error, bool is_thrown) { error->is_thrown = is_thrown; }

#endif
