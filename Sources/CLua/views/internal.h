/* What other folders use of views/. */
#ifndef CLUA_VIEWS_INTERNAL_H
#define CLUA_VIEWS_INTERNAL_H

#include "clua.h"

/* countMatches(list, predicate): the number of elements for which the predicate returns true; nil if nothing is
 * remembered: the list is no part of a state that a view reads, or the predicate has raised about an element. [-2, +1, e] */
int sl_native_count_matches(lua_State *L);
/* element(kind, properties, mostChildren, refuse): the function `ui.<kind>`. `properties` has for each name what its value may be:
 * types, as bits of Lua's type codes, a table of words, or a function that says so. `refuse(given, key, value, second)` raises: it
 * gets the argument, and a key with its value, a value alone, or a second argument. [-4, +1, m] */
int sl_native_element(lua_State *L);
/* Tells Swift that the view depends on all of what the function at `index` has captured of the state. Returns what it has
 * captured, as bits SL_CAPTURES_. [-0, +0, e] */
int sl_note_captured(lua_State *L, int index);
/* Whether the functions at two indices do the same; see `sl_same_function`. [-0, +0, e] */
bool sl_functions_are_same(lua_State *L, int a, int b);

#endif
