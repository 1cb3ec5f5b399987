#include "clua.h"
void sl_open_null(lua_State *L){} void sl_push_null(lua_State *L){lua_pushnil(L);} bool sl_is_null(lua_State *L, int i){return false;}
void sl_open_sandbox(lua_State *L){} void sl_push_environment(lua_State *L){lua_newtable(L); lua_pushglobaltable(L); lua_setfield(L,-2,"_G");}
int sl_native_find(lua_State*L){return 0;} int sl_native_rearrange(lua_State*L){return 0;}
