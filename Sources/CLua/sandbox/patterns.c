/* string.find, match, gmatch and gsub, as in stock Lua except for the limit on steps: Lua's manual (§6.4.1) defines patterns.
 *
 * The matcher is the backtracking one of Lua's lstrlib.c, with its depth and its messages. A step is an item of the
 * pattern that is tried, or a byte that a repetition takes. Bytes have the classes of the C locale, whatever the
 * locale of the host is, so that a script behaves the same everywhere. */
#if defined(__linux__)
#define _GNU_SOURCE /* memmem */
#endif
#include <string.h>

#include "sandbox/internal.h"

/* Lua's LUA_MAXCAPTURES, and its MAXCCALLS for patterns. */
enum { MOST_CAPTURES = 32, MOST_LEVELS = 200 };

/* The number of steps between two checks whether scripts are being stopped: some hundred microseconds. */
enum { STEPS = 1 << 16 };

/* The lengths of captures without a text. */
enum { OPEN = -1, POSITION = -2 };

typedef struct capture {
  const char *start;
  ptrdiff_t length; /* or OPEN or POSITION */
} capture;

/* A search for matches of a pattern in a subject. */
typedef struct search {
  lua_State *L;
  const char *start, *end;             /* the subject */
  const char *pattern, *pattern_end;   /* without `^`; a zero byte follows */
  bool is_anchored;                    /* the pattern begins with `^` */
  int64_t left;                        /* steps until the next check whether scripts are being stopped */
  int64_t more;                        /* steps that the limit allows after `left` */
  int levels;                          /* how deep `match` may nest still */
  int captures;                        /* the number of captures that are open or have a value */
  capture values[MOST_CAPTURES];
} search;

/* Prepares a search for the pattern at the index `pattern`. All of its matches share one limit on steps. [-0, +0, -] */
static void begin(search *s, lua_State *L, const char *subject, size_t length, int pattern) {
  size_t steps = sl_vm_of(L)->limits.pattern_steps;
  size_t pattern_length;
  s->L = L;
  s->start = subject;
  s->end = subject + length;
  s->pattern = lua_tolstring(L, pattern, &pattern_length);
  s->pattern_end = s->pattern + pattern_length;
  s->is_anchored = false;
  s->left = 0;
  s->more = steps > 0 ? (int64_t)steps : INT64_MAX;
  s->captures = 0;
}

/* A `^` at the start of the pattern is no item. */
static void take_anchor(search *s) {
  s->is_anchored = s->pattern < s->pattern_end && *s->pattern == '^';
  if (s->is_anchored) s->pattern++;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------------ */

static __attribute__((noinline)) void refill(search *s) {
  sl_vm *vm = sl_vm_of(s->L);
  sl_poll(s->L, vm);
  int64_t missing = -s->left;
  if (s->more < missing) sl_stop_at_size(s->L, SL_STOP_PATTERN, vm->limits.pattern_steps);
  int64_t steps = s->more - missing < STEPS ? s->more : missing + STEPS;
  s->more -= steps;
  s->left += steps;
}

static inline void count(search *s, int64_t steps) {
  if (__builtin_expect((s->left -= steps) < 0, 0)) refill(s);
}

/* ---- Single bytes ------------------------------------------------------------------------------------------------------ */

static bool is_between(unsigned char byte, char low, char high) {
  return byte >= (unsigned char)low && byte <= (unsigned char)high;
}

static bool is_letter(unsigned char byte) { return is_between(byte | 0x20, 'a', 'z'); }
static bool is_digit(unsigned char byte) { return is_between(byte, '0', '9'); }
static bool is_visible(unsigned char byte) { return is_between(byte, '!', '~'); }

/* Whether a byte is in the class `%letter`. An escaped byte that names no class stands for itself. */
static bool is_in_class(unsigned char byte, char letter) {
  bool is;
  switch (letter | 0x20) {
    case 'a': is = is_letter(byte); break;
    case 'c': is = byte < ' ' || byte == 127; break;
    case 'd': is = is_digit(byte); break;
    case 'g': is = is_visible(byte); break;
    case 'l': is = is_between(byte, 'a', 'z'); break;
    case 'p': is = is_visible(byte) && !is_letter(byte) && !is_digit(byte); break;
    case 's': is = byte == ' ' || is_between(byte, '\t', '\r'); break;
    case 'u': is = is_between(byte, 'A', 'Z'); break;
    case 'w': is = is_letter(byte) || is_digit(byte); break;
    case 'x': is = is_digit(byte) || is_between(byte | 0x20, 'a', 'f'); break;
    case 'z': is = byte == 0; break; /* no longer in the manual, still in Lua */
    default: return byte == (unsigned char)letter;
  }
  return is != is_between((unsigned char)letter, 'A', 'Z');
}

/* Whether a byte is in the set from the `[` at `at` to its `]` at `last`. */
static bool is_in_set(unsigned char byte, const char *at, const char *last) {
  bool has = true;
  if (at[1] == '^') {
    has = false;
    at++;
  }
  while (++at < last) {
    if (*at == '%') {
      if (is_in_class(byte, *++at)) return has;
    } else if (at[1] == '-' && at + 2 < last) {
      if (is_between(byte, at[0], at[2])) return has;
      at += 2;
    } else if ((unsigned char)*at == byte) {
      return has;
    }
  }
  return !has;
}

/* Whether the byte at `at` matches the item from `item` to `after`. */
static bool matches(const search *s, const char *at, const char *item, const char *after) {
  if (at == s->end) return false;
  switch (*item) {
    case '.': return true;
    case '%': return is_in_class((unsigned char)*at, item[1]);
    case '[': return is_in_set((unsigned char)*at, item, after - 1);
    default: return *at == *item;
  }
}

/* The end of the item at `item`: a byte, a class or a set, without its repetition. [-0, +0, v] */
static const char *after_item(const search *s, const char *item) {
  const char first = *item++;
  if (first == '%' && item == s->pattern_end) luaL_error(s->L, "malformed pattern (ends with '%%')");
  if (first == '%') return item + 1;
  if (first != '[') return item;
  if (*item == '^') item++;
  do { /* the first byte of a set may be `]` */
    if (item == s->pattern_end) luaL_error(s->L, "malformed pattern (missing ']')");
    item += *item == '%' && item + 1 < s->pattern_end ? 2 : 1;
  } while (*item != ']');
  return item + 1;
}

/* ---- Matching ---------------------------------------------------------------------------------------------------------- */

static const char *match(search *s, const char *at, const char *item);

static const char *match_open(search *s, const char *at, const char *rest, ptrdiff_t length) {
  if (s->captures == MOST_CAPTURES) luaL_error(s->L, "too many captures");
  s->values[s->captures++] = (capture){at, length};
  const char *end = match(s, at, rest);
  if (end == NULL) s->captures--;
  return end;
}

static const char *match_close(search *s, const char *at, const char *rest) {
  int index = s->captures - 1;
  while (index >= 0 && s->values[index].length != OPEN) index--;
  if (index < 0) luaL_error(s->L, "invalid pattern capture");
  s->values[index].length = at - s->values[index].start;
  const char *end = match(s, at, rest);
  if (end == NULL) s->values[index].length = OPEN;
  return end;
}

/* Tries `x*` with as many bytes as possible first. */
static const char *match_many(search *s, const char *at, const char *item, const char *after) {
  const char *most = at;
  for (; matches(s, most, item, after); most++) count(s, 1);
  for (; most >= at; most--) {
    const char *end = match(s, most, after + 1);
    if (end != NULL) return end;
  }
  return NULL;
}

/* Tries `x-`, with as few bytes as possible first. */
static const char *match_few(search *s, const char *at, const char *item, const char *after) {
  for (;; at++) {
    const char *end = match(s, at, after + 1);
    if (end != NULL) return end;
    if (!matches(s, at, item, after)) return NULL;
  }
}

/* The end of `%bxy` at `at`; null if it does not match. */
static const char *match_balanced(search *s, const char *at, const char *item) {
  if (s->pattern_end - item < 4) luaL_error(s->L, "malformed pattern (missing arguments to '%%b')");
  char first = item[2], last = item[3];
  if (at == s->end || *at != first) return NULL;
  size_t opened = 1;
  while (++at < s->end) {
    count(s, 1);
    if (*at == last) { /* checked first, because both may be the same byte */
      if (--opened == 0) return at + 1;
    } else if (*at == first) {
      opened++;
    }
  }
  return NULL;
}

/* The end of a repetition of the capture with the number at `number`; null if it does not match. */
static const char *match_again(search *s, const char *at, char number) {
  int index = number - '1';
  if (index < 0 || index >= s->captures || s->values[index].length == OPEN) {
    luaL_error(s->L, "invalid capture index %%%d", index + 1);
  }
  ptrdiff_t length = s->values[index].length;
  if (length < 0 || s->end - at < length) return NULL; /* a position has no text, so it never matches */
  count(s, length);
  return memcmp(at, s->values[index].start, (size_t)length) == 0 ? at + length : NULL;
}

/* The end of `%f[set]`, whose `[` is at `*item`; null if it does not match. Moves `*item` past it. */
static const char *match_frontier(const search *s, const char *at, const char **item) {
  const char *set = *item;
  if (*set != '[') luaL_error(s->L, "missing '[' after '%%f' in pattern");
  *item = after_item(s, set);
  /* Beyond both ends of the subject is a zero byte. */
  unsigned char before = at == s->start ? 0 : (unsigned char)at[-1], here = at == s->end ? 0 : (unsigned char)*at;
  return !is_in_set(before, set, *item - 1) && is_in_set(here, set, *item - 1) ? at : NULL;
}

/* Leaves `match` with its result. */
static inline const char *leave(search *s, const char *end) {
  s->levels++;
  return end;
}

/* The end of the match of the items from `item` on, at `at`; null if there is none. What follows a repetition, or the start or
 * end of a capture, is matched in a nested call. [-0, +0, v] */
static const char *match(search *s, const char *at, const char *item) {
  if (s->levels-- == 0) luaL_error(s->L, "pattern too complex");
  while (at != NULL && item != s->pattern_end) {
    count(s, 1);
    switch (*item) {
      case '(':
        return leave(s, item[1] == ')' ? match_open(s, at, item + 2, POSITION) : match_open(s, at, item + 1, OPEN));
      case ')': return leave(s, match_close(s, at, item + 1));
      case '$':
        if (item + 1 == s->pattern_end) return leave(s, at == s->end ? at : NULL);
        break;
      case '%':
        if (item[1] == 'b') {
          at = match_balanced(s, at, item);
          item += 4;
          continue;
        }
        if (item[1] == 'f') {
          item += 2;
          at = match_frontier(s, at, &item);
          continue;
        }
        if (is_digit((unsigned char)item[1])) {
          at = match_again(s, at, item[1]);
          item += 2;
          continue;
        }
        break;
      default: break;
    }
    const char *after = after_item(s, item);
    bool does = matches(s, at, item, after);
    switch (after < s->pattern_end ? *after : '\0') {
      case '*':
        if (does) return leave(s, match_many(s, at, item, after));
        item = after + 1; /* without a nested call, as in Lua */
        break;
      case '+': return leave(s, does ? match_many(s, at + 1, item, after) : NULL);
      case '-':
        if (does) return leave(s, match_few(s, at, item, after));
        item = after + 1;
        break;
      case '?': {
        const char *end = does ? match(s, at + 1, after + 1) : NULL;
        if (end != NULL) return leave(s, end);
        item = after + 1;
        break;
      }
      default:
        at = does ? at + 1 : NULL;
        item = after;
    }
  }
  return leave(s, at);
}

/* Finds the first match that starts at `*start` or, unless the pattern is anchored, after it, and that does not end at
 * `except`. Returns its end and stores its start in `*start`; null if there is none. Raises if the pattern is malformed
 * or a limit stops the match. [-0, +0, e] */
static const char *next(search *s, const char **start, const char *except) {
  for (const char *at = *start;; at++) {
    s->levels = MOST_LEVELS;
    s->captures = 0;
    const char *end = match(s, at, s->pattern);
    if (end != NULL && end != except) {
      *start = at;
      return end;
    }
    if (at == s->end || s->is_anchored) return NULL;
  }
}

/* The offset of `init` in a subject, from 0; more than the length if it is beyond the end. */
static size_t offset_of(lua_Integer init, size_t length) {
  if (init > 0) return (size_t)init - 1;
  if (init == 0 || init < -(lua_Integer)length) return 0;
  return length - (size_t)-init;
}

/* ---- Captures --------------------------------------------------------------------------------------------------------- */

/* The text of a capture; the whole match for the first one if the pattern has none. For a position capture it pushes the
 * position and returns null. [-0, +0|1, e] */
static const char *read_capture(const search *s, int index, const char *start, const char *end, size_t *length) {
  if (index >= s->captures) {
    if (index > 0) luaL_error(s->L, "invalid capture index %%%d", index + 1);
    *length = (size_t)(end - start);
    return start;
  }
  const capture *capture = &s->values[index];
  if (capture->length == POSITION) {
    lua_pushinteger(s->L, capture->start - s->start + 1);
    return NULL;
  }
  if (capture->length == OPEN) luaL_error(s->L, "unfinished capture");
  *length = (size_t)capture->length;
  return capture->start;
}

/* [-0, +1, e] */
static void push_capture(const search *s, int index, const char *start, const char *end) {
  size_t length;
  const char *text = read_capture(s, index, start, end, &length);
  if (text != NULL) lua_pushlstring(s->L, text, length);
}

/* Pushes all captures, or the whole match if there are none. Returns their number. [-0, +n, e] */
static int push_captures(const search *s, const char *start, const char *end) {
  int count = s->captures == 0 ? 1 : s->captures;
  luaL_checkstack(s->L, count, "too many captures");
  for (int i = 0; i < count; i++) push_capture(s, i, start, end);
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

/* The first place of a text; NULL if there is none. memmem is linear, but starts slowly: comparing at the first eight
 * occurrences of the text's first byte lets a plain `find` in a short text take 1.11 of stock Lua's time, not 1.34. */
static const char *find_text(const char *at, size_t length, const char *text, size_t text_length) {
  if (text_length == 0) return at;
  for (int tries = 8; tries > 0; tries--) {
    if (length < text_length) return NULL;
    const char *first = memchr(at, *text, length - text_length + 1);
    if (first == NULL) return NULL;
    if (memcmp(first, text, text_length) == 0) return first;
    length -= (size_t)(first + 1 - at);
    at = first + 1;
  }
  return memmem(at, length, text, text_length);
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
  search search;
  begin(&search, L, subject, length, 2);
  const char *start = subject + offset, *end;
  bool plain = wants_position && (lua_toboolean(L, 4) || is_plain(pattern, pattern_length));
  if (plain) {
    const char *found = find_text(start, length - offset, pattern, pattern_length);
    count(&search, ((found == NULL ? search.end : found) - start) >> 4); /* it examines about this many bytes at once */
    start = found;
    end = found == NULL ? NULL : found + pattern_length;
  } else {
    take_anchor(&search);
    end = next(&search, &start, NULL);
  }
  if (end == NULL) {
    luaL_pushfail(L);
    return 1;
  }
  if (!wants_position) return push_captures(&search, start, end);
  lua_pushinteger(L, start - subject + 1);
  lua_pushinteger(L, end - subject);
  return plain || search.captures == 0 ? 2 : 2 + push_captures(&search, start, end);
}

static int string_find(lua_State *L) { return find(L, true); }
static int string_match(lua_State *L) { return find(L, false); }

/* ---- gmatch ------------------------------------------------------------------------------------------------------------- */

/* Upvalues: the subject; the pattern, in which `^` is an ordinary byte; the offset at which to search next; the offset at
 * which the last match ended (-1: none). */
static int gmatch_step(lua_State *L) {
  size_t length;
  const char *subject = lua_tolstring(L, lua_upvalueindex(1), &length);
  lua_Integer offset = lua_tointeger(L, lua_upvalueindex(3)), last = lua_tointeger(L, lua_upvalueindex(4));
  if (offset > (lua_Integer)length) return 0;
  search search;
  begin(&search, L, subject, length, lua_upvalueindex(2));
  const char *start = subject + offset;
  const char *end = next(&search, &start, last < 0 ? NULL : subject + last);
  if (end == NULL) return 0;
  lua_pushinteger(L, end - subject);
  lua_pushvalue(L, -1);
  lua_replace(L, lua_upvalueindex(3));
  lua_replace(L, lua_upvalueindex(4));
  return push_captures(&search, start, end);
}

static int string_gmatch(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  luaL_checklstring(L, 2, NULL);
  size_t offset = offset_of(luaL_optinteger(L, 3, 1), length);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_pushinteger(L, offset > length ? (lua_Integer)length + 1 : (lua_Integer)offset);
  lua_pushinteger(L, -1);
  lua_pushcclosure(L, gmatch_step, 4);
  return 1;
}

/* ---- gsub --------------------------------------------------------------------------------------------------------------- */

/* Adds the replacement string at 3, in which `%` and a digit stand for a capture. [-0, +0, e] */
static void add_text(const search *s, luaL_Buffer *result, const char *start, const char *end) {
  lua_State *L = s->L;
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
      const char *text = read_capture(s, letter - '1', start, end, &length);
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
static bool add_value(const search *s, luaL_Buffer *result, bool calls, const char *start, const char *end) {
  lua_State *L = s->L;
  if (calls) {
    lua_pushvalue(L, 3);
    lua_call(L, push_captures(s, start, end), 1);
  } else {
    push_capture(s, 0, start, end);
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
  search search;
  begin(&search, L, subject, length, 2);
  take_anchor(&search);
  /* `kept`: the first byte that is not in `result` yet. `start`: where to search next. `last`: where the last match
   * ended. */
  const char *kept = subject, *start = subject, *last = NULL;
  bool changed = false;
  luaL_Buffer result;
  luaL_buffinit(L, &result);
  while (count < most) {
    const char *end = next(&search, &start, last);
    if (end == NULL) break;
    count++;
    luaL_addlstring(&result, kept, (size_t)(start - kept));
    kept = start;
    if (is_text) add_text(&search, &result, start, end);
    if (is_text || add_value(&search, &result, calls, start, end)) {
      kept = end;
      changed = true;
    }
    sl_check_length(L, luaL_bufflen(&result));
    sl_poll(L, vm); /* with `__index`, a table may search thousands of others */
    start = last = end;
    if (search.is_anchored) break;
  }
  if (changed) {
    luaL_addlstring(&result, kept, (size_t)(search.end - kept));
    luaL_pushresult(&result);
  } else {
    lua_pushvalue(L, 1);
  }
  lua_pushinteger(L, count);
  return 2;
}

const luaL_Reg sl_pattern_functions[] = {
    {"find", string_find}, {"gmatch", string_gmatch}, {"gsub", string_gsub}, {"match", string_match}, {NULL, NULL}};
