/* What other folders use of drafts/: reading and writing the state through drafts and views. */
#ifndef CLUA_DRAFTS_INTERNAL_H
#define CLUA_DRAFTS_INTERNAL_H

#include "clua.h"

void sl_open_drafts(lua_State *L);  /* the metatable of drafts and views, and the caches [-0, +0, m] */
/* The draft or view at `index`; null for anything else. It may be dead. [-0, +0, -] */
sl_ref *sl_to_ref(lua_State *L, int index);
/* The same, but raises if the value is no draft or view, or if it is dead. [-0, +0, e] */
sl_ref *sl_check_ref(lua_State *L, int index);
/* Makes a key from the Lua value at `index`; false if no table of the state can have that key. [-0, +0, -] */
bool sl_to_key(lua_State *L, int index, sl_key *key);
/* Pushes ref[key]: what `__index` of a draft does. [-0, +1, e] */
void sl_ref_get(lua_State *L, const sl_ref *ref, int key_index);
/* ref[key] = value. [-0, +0, e] */
void sl_ref_set(lua_State *L, const sl_ref *ref, int key_index, int value_index);
lua_Integer sl_ref_length(lua_State *L, const sl_ref *ref);
/* `next` of a draft or view after the key at `key_index` (nil: the first entry): pushes key and value, or nil.
 * [-0, +1|2, e] */
int sl_ref_next(lua_State *L, const sl_ref *ref, int64_t cursor, int key_index);
/* `pairs` of a draft or view: pushes an iterator, the draft or view, and nil. [-0, +3, e] */
int sl_ref_pairs(lua_State *L);
int sl_native_replace(lua_State *L);   /* scripted.replace(state, value) [-2, +0, e] */
int sl_native_draft(lua_State *L);     /* draft(table of the state): its index in the arena [-0, +1, e] */

#endif
