/* Lua's patterns, as its manual (§6.4.1) defines them, with a count of steps.
 *
 * A pattern is a row of items: no alternatives, no nesting. Each item matches something at a place or does not, and `x*`, `x+`, `x-`
 * and `x?` may do so in several ways, which are tried in order. So matching needs neither recursion nor a stack: an item with a choice
 * keeps the places that it may still try, and a failure goes to the last choice before. As every way through a pattern passes every
 * item, captures are always set anew before they are read, and nothing is restored. */
#ifndef SL_PATTERN_H
#define SL_PATTERN_H

#include "clua.h"

enum { SL_MAX_CAPTURES = 32 /* Lua's LUA_MAXCAPTURES */ };

typedef struct sl_set {
  uint64_t bits[4];
} sl_set;

static inline bool sl_set_has(const sl_set *set, char byte) {
  unsigned char c = (unsigned char)byte;
  return set->bits[c >> 6] >> (c & 63) & 1;
}

typedef enum sl_item_kind {
  SL_ITEM_TEXT, /* these bytes */
  SL_ITEM_ANY,
  SL_ITEM_SET,
  SL_ITEM_MANY_ANY, /* x* and x+: as many as there are, `least` of them */
  SL_ITEM_MANY,
  SL_ITEM_FEW,   /* x- */
  SL_ITEM_MAYBE, /* x? */
  SL_ITEM_OPEN,  /* ( */
  SL_ITEM_CLOSE, /* ) */
  SL_ITEM_POSITION, /* () */
  SL_ITEM_BALANCED, /* %bxy */
  SL_ITEM_FRONTIER, /* %f[set] */
  SL_ITEM_REPEAT,   /* %1 */
  SL_ITEM_END,      /* $ */
  SL_ITEM_WRONG,    /* Lua finds mistakes only when it comes to them */
  SL_ITEM_FINISH,
} sl_item_kind;

typedef struct sl_item {
  uint8_t kind;
  uint8_t least;        /* of x* and x+ */
  uint8_t first, last;  /* of %b */
  uint8_t capture;
  uint32_t back;        /* how many items before is the last one with a choice; 0: there is none */
  const sl_set *set;
  const char *text;     /* in the pattern itself, or the message of a mistake */
  size_t length;        /* of a mistake: a number that ends the message, and 1 */
  /* While matching: what is tried. A greedy one goes from `at` down to `low`, x- from `at` upwards. */
  const char *low, *at;
  int depth;
} sl_item;

typedef struct sl_program {
  bool is_anchored;
  bool is_deep;        /* may come to Lua's limit of nested choices and captures */
  uint8_t captures;
  const sl_item *lead; /* what each match begins with, if that is a byte, or one of a set */
  sl_item *items;
  sl_set *sets;
} sl_program;

typedef struct sl_capture {
  const char *start;
  ptrdiff_t length; /* or one of the two below */
} sl_capture;

enum { SL_CAPTURE_OPEN = -1, SL_CAPTURE_POSITION = -2 };

typedef struct sl_match {
  lua_State *L;
  const sl_program *program;
  const char *start, *end; /* the whole subject */
  int64_t left;            /* steps until somebody may want to stop */
  int64_t more;            /* steps after those */
  sl_capture captures[SL_MAX_CAPTURES];
} sl_match;

/* The program of the pattern at `index`, good until the next one is asked for or Lua runs anything else; that of a long one is left on
 * the stack. [-0, +0|1, m] */
const sl_program *sl_program_of(lua_State *L, int index);
/* The same on top of the stack, good as long as it is kept. With `for_gmatch` a `^` is nothing but that. [-0, +1, m] */
const sl_program *sl_push_program(lua_State *L, int index, bool for_gmatch);

/* Prepares for matches in `subject`; the steps of all of them count together. [-0, +0, -] */
void sl_match_begin(sl_match *match, lua_State *L, const char *subject, size_t length);
/* The first match that starts at `*start` or, unless the pattern is anchored, after it, and does not end at `except`: its end, or null. Its
 * start in `*start`. Raises on a malformed pattern, or when a limit stops it. [-0, +0, e] */
const char *sl_match_next(sl_match *match, const char **start, const char *except);
/* The first place of a text, or null. [-0, +0, e] */
const char *sl_match_text(sl_match *match, const char *start, const char *text, size_t length);

#endif
