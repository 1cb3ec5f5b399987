/* string.find, match, gmatch and gsub, as in stock Lua except for the limit on steps. The code is new; the definition in
 * Lua's manual (§6.4) and the messages are the same. */
#include <string.h>

#include "sandbox/pattern.h"
#include "sandbox/sandbox.h"

/* The offset of `init` in a subject, from 0; more than the length if it is beyond the end. */
static size_t offset_of(lua_Integer init, size_t length) {
  if (init > 0) return (size_t)init - 1;
  if (init == 0 || init < -(lua_Integer)length) return 0;
  return length - (size_t)-init;
}

/* ---- Captures --------------------------------------------------------------------------------------------------------- */

/* The text of a capture; the whole match for the first one if the pattern has none. For a position capture it pushes the
 * position and returns null. [-0, +0|1, e] */
static const char *read_capture(const sl_match *match, int index, const char *start, const char *end, size_t *length) {
  if (index >= match->program->captures) {
    if (index > 0) luaL_error(match->L, "invalid capture index %%%d", index + 1);
    *length = (size_t)(end - start);
    return start;
  }
  const sl_capture *capture = &match->captures[index];
  if (capture->length == SL_CAPTURE_POSITION) {
    lua_pushinteger(match->L, capture->start - match->start + 1);
    return NULL;
  }
  if (capture->length == SL_CAPTURE_OPEN) luaL_error(match->L, "unfinished capture");
  *length = (size_t)capture->length;
  return capture->start;
}

/* [-0, +1, e] */
static void push_capture(const sl_match *match, int index, const char *start, const char *end) {
  size_t length;
  const char *text = read_capture(match, index, start, end, &length);
  if (text != NULL) lua_pushlstring(match->L, text, length);
}

/* Pushes all captures, or the whole match if there are none. Returns their number. [-0, +n, e] */
static int push_captures(const sl_match *match, const char *start, const char *end) {
  int count = match->program->captures == 0 ? 1 : match->program->captures;
  luaL_checkstack(match->L, count, "too many captures");
  for (int i = 0; i < count; i++) push_capture(match, i, start, end);
  return count;
}

/* ---- find and match ----------------------------------------------------------------------------------------------------- */

static bool is_plain(const char *pattern, size_t length) {
  for (size_t i = 0; i < length; i++) {
    switch (pattern[i]) {
      case '^': case '$': case '*': case '+': case '?': case '.': case '(': case '[': case '%': case '-': return false;
      default: break;
    }
  }
  return true;
}

static int find(lua_State *L, bool wants_position) {
  size_t length, pattern_length;
  const char *subject = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length);
  size_t offset = offset_of(luaL_optinteger(L, 3, 1), length);
  if (offset > length) {
    luaL_pushfail(L);
    return 1;
  }
  sl_match match;
  sl_match_begin(&match, L, subject, length);
  const char *start = subject + offset, *end;
  bool plain = wants_position && (lua_toboolean(L, 4) || is_plain(pattern, pattern_length));
  if (plain) {
    start = sl_match_text(&match, start, pattern, pattern_length);
    end = start == NULL ? NULL : start + pattern_length;
  } else {
    match.program = sl_program_of(L, 2);
    end = sl_match_next(&match, &start, NULL);
  }
  if (end == NULL) {
    luaL_pushfail(L);
    return 1;
  }
  if (!wants_position) return push_captures(&match, start, end);
  lua_pushinteger(L, start - subject + 1);
  lua_pushinteger(L, end - subject);
  return plain || match.program->captures == 0 ? 2 : 2 + push_captures(&match, start, end);
}

static int string_find(lua_State *L) { return find(L, true); }
static int string_match(lua_State *L) { return find(L, false); }

/* ---- gmatch ------------------------------------------------------------------------------------------------------------- */

/* Upvalues: the subject; the program; the offset at which to search next; the offset at which the last match ended (-1:
 * none). */
static int gmatch_step(lua_State *L) {
  size_t length;
  const char *subject = lua_tolstring(L, lua_upvalueindex(1), &length);
  lua_Integer offset = lua_tointeger(L, lua_upvalueindex(3)), last = lua_tointeger(L, lua_upvalueindex(4));
  if (offset > (lua_Integer)length) return 0;
  sl_match match;
  sl_match_begin(&match, L, subject, length);
  match.program = lua_touserdata(L, lua_upvalueindex(2));
  const char *start = subject + offset;
  const char *end = sl_match_next(&match, &start, last < 0 ? NULL : subject + last);
  if (end == NULL) return 0;
  lua_pushinteger(L, end - subject);
  lua_pushvalue(L, -1);
  lua_replace(L, lua_upvalueindex(3));
  lua_replace(L, lua_upvalueindex(4));
  return push_captures(&match, start, end);
}

static int string_gmatch(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  luaL_checklstring(L, 2, NULL);
  size_t offset = offset_of(luaL_optinteger(L, 3, 1), length);
  lua_pushvalue(L, 1);
  sl_push_program(L, 2, true);
  lua_pushinteger(L, offset > length ? (lua_Integer)length + 1 : (lua_Integer)offset);
  lua_pushinteger(L, -1);
  lua_pushcclosure(L, gmatch_step, 4);
  return 1;
}

/* ---- gsub --------------------------------------------------------------------------------------------------------------- */

/* Adds the replacement string at 3, in which `%` and a digit stand for a capture. [-0, +0, e] */
static void add_text(const sl_match *match, luaL_Buffer *result, const char *start, const char *end) {
  lua_State *L = match->L;
  size_t length;
  const char *at = lua_tolstring(L, 3, &length), *stop = at + length;
  const char *escape;
  while ((escape = memchr(at, '%', (size_t)(stop - at))) != NULL) {
    luaL_addlstring(result, at, (size_t)(escape - at));
    at = escape + 2;
    char letter = escape[1]; /* at the end of the string this reads its zero byte */
    if (letter == '%') {
      luaL_addchar(result, '%');
    } else if (letter == '0') {
      luaL_addlstring(result, start, (size_t)(end - start));
    } else if (letter >= '1' && letter <= '9') {
      const char *text = read_capture(match, letter - '1', start, end, &length);
      if (text == NULL) {
        luaL_addvalue(result);
      } else {
        luaL_addlstring(result, text, length);
      }
    } else {
      luaL_error(L, "invalid use of '%%' in replacement string");
    }
  }
  luaL_addlstring(result, at, (size_t)(stop - at));
}

/* Adds the replacement that the function or table at 3 gives for a match. False if the match stays unchanged. [-0, +0, e] */
static bool add_value(const sl_match *match, luaL_Buffer *result, bool calls, const char *start, const char *end) {
  lua_State *L = match->L;
  if (calls) {
    lua_pushvalue(L, 3);
    lua_call(L, push_captures(match, start, end), 1);
  } else {
    push_capture(match, 0, start, end);
    lua_gettable(L, 3);
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    return false;
  }
  if (!lua_isstring(L, -1)) {
    const char *type = sl_to_ref(L, -1) != NULL ? "table" : luaL_typename(L, -1);
    luaL_error(L, "invalid replacement value (a %s)", type);
  }
  luaL_addvalue(result);
  return true;
}

static int string_gsub(lua_State *L) {
  const sl_vm *vm = sl_vm_of(L);
  size_t length;
  const char *subject = luaL_checklstring(L, 1, &length);
  luaL_checklstring(L, 2, NULL);
  int type = lua_type(L, 3);
  lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1), count = 0;
  bool is_text = type == LUA_TSTRING || type == LUA_TNUMBER, calls = type == LUA_TFUNCTION;
  luaL_argexpected(L, is_text || calls || type == LUA_TTABLE || sl_live_ref(L, 3) != NULL, 3, "string/function/table");
  sl_match match;
  sl_match_begin(&match, L, subject, length);
  match.program = is_text ? sl_program_of(L, 2) : sl_push_program(L, 2, false);
  /* `kept`: the first byte that is not in `result` yet. `start`: where to search next. `last`: where the last match
   * ended. */
  const char *kept = subject, *start = subject, *last = NULL;
  bool changed = false;
  luaL_Buffer result;
  luaL_buffinit(L, &result);
  while (count < most) {
    const char *end = sl_match_next(&match, &start, last);
    if (end == NULL) break;
    count++;
    luaL_addlstring(&result, kept, (size_t)(start - kept));
    kept = start;
    if (is_text) add_text(&match, &result, start, end);
    if (is_text || add_value(&match, &result, calls, start, end)) {
      kept = end;
      changed = true;
    }
    sl_check_length(L, luaL_bufflen(&result));
    sl_poll(L, vm); /* with `__index`, a table may search thousands of others */
    start = last = end;
    if (match.program->is_anchored) break;
  }
  if (changed) {
    luaL_addlstring(&result, kept, (size_t)(match.end - kept));
    luaL_pushresult(&result);
  } else {
    lua_pushvalue(L, 1);
  }
  lua_pushinteger(L, count);
  return 2;
}

const luaL_Reg sl_pattern_functions[] = {
    {"find", string_find}, {"gmatch", string_gmatch}, {"gsub", string_gsub}, {"match", string_match}, {NULL, NULL}};
