/* Matching patterns. A step is one byte that is examined, or one item that is tried. */
#if defined(__linux__)
#define _GNU_SOURCE /* memmem */
#endif
#include <string.h>

#include "sandbox/pattern.h"

/* ---- Steps ------------------------------------------------------------------------------------------------------------ */

/* The number of steps between two checks whether scripts are being stopped: some hundred microseconds. Also the largest
 * number of bytes that are examined before they are counted. */
enum { STEPS = 1 << 16 };

static void refill(sl_match *match) {
  sl_vm *vm = sl_vm_of(match->L);
  sl_poll(match->L, vm);
  int64_t missing = -match->left;
  if (match->more < missing) sl_stop_here(match->L, SL_STOP_PATTERN);
  int64_t steps = match->more - missing < STEPS ? match->more : missing + STEPS;
  match->more -= steps;
  match->left += steps;
}

static inline void count(sl_match *match, int64_t steps) {
  if (__builtin_expect((match->left -= steps) < 0, 0)) refill(match);
}

void sl_match_begin(sl_match *match, lua_State *L, const char *subject, size_t length) {
  int64_t steps = sl_vm_of(L)->limits.pattern_steps;
  match->L = L;
  match->start = subject;
  match->end = subject + length;
  match->left = 0;
  match->more = steps > 0 ? steps : INT64_MAX;
}

/* ---- Single items ------------------------------------------------------------------------------------------------------- */

/* Skips as many bytes of a set as there are. */
static const char *skip(sl_match *match, const char *at, const sl_set *set) {
  for (;;) {
    const char *from = at, *to = match->end - at > STEPS ? at + STEPS : match->end;
    while (at < to && sl_set_has(set, *at)) at++;
    count(match, at - from);
    if (at < to || at == match->end) return at;
  }
}

/* Skips `first`, then everything up to the matching `last`. Null if there is none. */
static const char *skip_balanced(sl_match *match, const char *at, char first, char last) {
  if (at == match->end || *at != first) return NULL;
  size_t opened = 1;
  at++;
  for (;;) {
    const char *from = at, *to = match->end - at > STEPS ? at + STEPS : match->end;
    for (; at < to; at++) {
      if (*at == last) { /* checked first, because both may be the same byte */
        if (--opened == 0) break;
      } else if (*at == first) {
        opened++;
      }
    }
    count(match, at - from);
    if (at < to) return at + 1;
    if (at == match->end) return NULL;
  }
}

/* Skips a repetition of the text of a capture. A position capture has no text, so it never matches. */
static const char *skip_repeat(sl_match *match, const char *at, const sl_capture *capture) {
  ptrdiff_t length = capture->length;
  if (length < 0 || match->end - at < length) return NULL;
  count(match, length);
  return memcmp(at, capture->start, (size_t)length) == 0 ? at + length : NULL;
}

/* Whether the byte before is not in the set and the byte at `at` is. Beyond both ends of the subject is a zero byte. */
static bool is_frontier(const sl_match *match, const char *at, const sl_set *set) {
  return !sl_set_has(set, at == match->start ? '\0' : at[-1]) && sl_set_has(set, at == match->end ? '\0' : *at);
}

static _Noreturn void raise_mistake(lua_State *L, const sl_item *mistake) {
  if (mistake->length == 0) {
    luaL_error(L, "%s", mistake->text);
  } else {
    luaL_error(L, "%s%d", mistake->text, (int)mistake->length - 1);
  }
  __builtin_unreachable();
}

/* ---- A match at one position ----------------------------------------------------------------------------------------- */

/* Lua matches what follows an optional item, or the start or end of a capture, in a nested call, at most 200 deep. This
 * raises the same error at the same depth. */
static inline void nest(sl_match *match, int *depth) {
  if ((*depth)++ == 200) luaL_error(match->L, "pattern too complex");
}

/* The end of the match that starts at `at`; null if there is none. */
static inline __attribute__((always_inline)) const char *run(sl_match *match, const char *at, bool is_deep) {
  const char *const end = match->end;
  sl_item *item = match->program->items, *resumed = item;
  int depth = 1;
  for (;; item++) {
    switch ((sl_item_kind)item->kind) {
      case SL_ITEM_TEXT:
        if ((size_t)(end - at) < item->length || *at != *item->text) goto fail;
        if (item->length > 1) {
          count(match, (int64_t)item->length);
          if (memcmp(at + 1, item->text + 1, item->length - 1) != 0) goto fail;
        }
        at += item->length;
        continue;
      case SL_ITEM_ANY:
        if (at == end) goto fail;
        at++;
        continue;
      case SL_ITEM_SET:
        if (at == end || !sl_set_has(item->set, *at)) goto fail;
        at++;
        continue;
      case SL_ITEM_MANY_ANY:
      case SL_ITEM_MANY: {
        const char *first = at;
        at = item->kind == SL_ITEM_MANY_ANY ? end : skip(match, at, item->set);
        item->low = first + item->least;
        item->at = at;
        if (at < item->low) goto fail;
        if (is_deep) {
          item->depth = depth;
          if (at > first) nest(match, &depth);
        }
        continue;
      }
      case SL_ITEM_FEW:
        item->at = at;
        if (is_deep) {
          item->depth = depth;
          if (at < end && sl_set_has(item->set, *at)) nest(match, &depth);
        }
        continue;
      case SL_ITEM_MAYBE:
        item->low = at;
        if (is_deep) item->depth = depth;
        if (at < end && sl_set_has(item->set, *at)) {
          at++;
          if (is_deep) nest(match, &depth);
        }
        item->at = at;
        continue;
      case SL_ITEM_OPEN:
      case SL_ITEM_POSITION:
        match->captures[item->capture] = (sl_capture){at, item->kind == SL_ITEM_OPEN ? SL_CAPTURE_OPEN : SL_CAPTURE_POSITION};
        if (is_deep) nest(match, &depth);
        continue;
      case SL_ITEM_CLOSE:
        match->captures[item->capture].length = at - match->captures[item->capture].start;
        if (is_deep) nest(match, &depth);
        continue;
      case SL_ITEM_BALANCED:
        if ((at = skip_balanced(match, at, (char)item->first, (char)item->last)) == NULL) goto fail;
        continue;
      case SL_ITEM_FRONTIER:
        if (!is_frontier(match, at, item->set)) goto fail;
        continue;
      case SL_ITEM_REPEAT:
        if ((at = skip_repeat(match, at, &match->captures[item->capture])) == NULL) goto fail;
        continue;
      case SL_ITEM_END:
        if (at != end) goto fail;
        continue;
      case SL_ITEM_WRONG: raise_mistake(match->L, item);
      case SL_ITEM_FINISH: count(match, item - resumed + 1); return at;
    }
  fail:
    count(match, item - resumed + 1);
    for (;;) {
      if (item->back == 0) return NULL;
      item -= item->back;
      if (item->kind == SL_ITEM_FEW) {
        if (item->at < end && sl_set_has(item->set, *item->at)) {
          at = ++item->at;
          break;
        }
      } else if (item->at > item->low) {
        at = --item->at;
        break;
      }
      count(match, 1);
    }
    if (is_deep) depth = item->depth + (item->kind != SL_ITEM_MAYBE);
    resumed = item + 1;
  }
}

static const char *run_shallow(sl_match *match, const char *at) { return run(match, at, false); }
static const char *run_deep(sl_match *match, const char *at) { return run(match, at, true); }

/* ---- Matches in a subject --------------------------------------------------------------------------------------------------- */

/* The next position at which the lead of the pattern matches; null if there is none. */
static const char *find_lead(sl_match *match, const char *at, const sl_item *lead) {
  if (lead->kind == SL_ITEM_TEXT || lead->kind == SL_ITEM_BALANCED) {
    if (at < match->end && *at == *lead->text) return at;
    const char *found = memchr(at, *lead->text, (size_t)(match->end - at));
    count(match, ((found == NULL ? match->end : found) - at) >> 4); /* memchr examines about this many bytes at once */
    return found;
  }
  for (;;) {
    const char *from = at, *to = match->end - at > STEPS ? at + STEPS : match->end;
    while (at < to && !sl_set_has(lead->set, *at)) at++;
    count(match, at - from);
    if (at < to) return at;
    if (at == match->end) return NULL;
  }
}

const char *sl_match_next(sl_match *match, const char **start, const char *except) {
  const sl_program *program = match->program;
  for (const char *at = *start;; at++) {
    if (program->lead != NULL && !program->is_anchored && (at = find_lead(match, at, program->lead)) == NULL) return NULL;
    const char *end = program->is_deep ? run_deep(match, at) : run_shallow(match, at);
    if (end != NULL && end != except) {
      *start = at;
      return end;
    }
    if (at == match->end || program->is_anchored) return NULL;
  }
}

/* Comparing at each occurrence of the first byte is fast on most texts, but quadratic on some. memmem is linear, but
 * starts more slowly. So this changes to memmem when the allowance for comparisons is used up. */
const char *sl_match_text(sl_match *match, const char *start, const char *text, size_t length) {
  if (length == 0) return start;
  int64_t allowance = 4096;
  for (const char *at = start; (size_t)(match->end - at) >= length; at++) {
    const char *found = memchr(at, *text, (size_t)(match->end - at) - length + 1);
    if (found == NULL) return NULL;
    count(match, ((found - at) >> 4) + 1);
    allowance += (found - at) + 4;
    at = found;
    if (memcmp(at, text, length) == 0) return at;
    allowance -= (int64_t)length;
    if (allowance >= 0) continue;
    size_t part = length * 4 > STEPS ? length * 4 : STEPS;
    for (; (size_t)(match->end - at) >= length; at += part - length + 1) {
      size_t left = (size_t)(match->end - at), here = left < part ? left : part;
      count(match, (int64_t)here);
      found = memmem(at, here, text, length);
      if (found != NULL || here == left) return found;
    }
    return NULL;
  }
  return NULL;
}
