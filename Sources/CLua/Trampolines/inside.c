#include "inside.h"

_Thread_local void *sl_inside_of = 0;
