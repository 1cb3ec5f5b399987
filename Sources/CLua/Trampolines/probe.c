#include "clua.h"
int sl_probe(void) { return LUA_VERSION_NUM; }
