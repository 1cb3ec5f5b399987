/* Lua's patterns, as its manual (§6.4.1) defines them, with a count of steps.
 *
 * A pattern is a sequence of items, without alternatives and without nesting. At a position of the subject, an item
 * matches or fails. `x*`, `x+`, `x-` and `x?` can match in several ways, which are tried in order.
 *
 * Invariants:
 * 1. Matching needs no recursion and no stack: an item with a choice stores the positions that it can still try, and a
 *    failure goes back to the last item with a choice.
 * 2. Every match passes every item, so each capture is set before it is read. A failure restores no captures. */
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
  SL_ITEM_TEXT, /* the bytes at `text` */
  SL_ITEM_ANY,
  SL_ITEM_SET,
  SL_ITEM_MANY_ANY, /* x* and x+: as many as possible, at least `least` */
  SL_ITEM_MANY,
  SL_ITEM_FEW,   /* x-, as few as possible */
  SL_ITEM_MAYBE, /* x? */
  SL_ITEM_OPEN,  /* ( */
  SL_ITEM_CLOSE, /* ) */
  SL_ITEM_POSITION, /* () */
  SL_ITEM_BALANCED, /* %bxy */
  SL_ITEM_FRONTIER, /* %f[set] */
  SL_ITEM_REPEAT,   /* %1 */
  SL_ITEM_END,      /* $ */
  SL_ITEM_WRONG,    /* raises; like Lua, only when matching reaches the mistake */
  SL_ITEM_FINISH,
} sl_item_kind;

typedef struct sl_item {
  uint8_t kind;
  uint8_t least;        /* 0 for x*, 1 for x+ */
  uint8_t first, last;  /* of %b */
  uint8_t capture;
  uint32_t back;        /* how many items back the last item with a choice is; 0: there is none */
  const sl_set *set;
  const char *text;     /* in the pattern itself; of a mistake, its message */
  size_t length;        /* of a mistake: the number at the end of the message plus 1; 0: no number */
  /* The state of a choice while matching. A greedy item goes from `at` down to `low`; x- goes from `at` upwards. `depth`
   * is Lua's nesting depth. */
  const char *low, *at;
  int depth;
} sl_item;

typedef struct sl_program {
  bool is_anchored;
  bool is_deep;        /* the limit on nested choices and captures can be reached */
  uint8_t captures;
  const sl_item *lead; /* the item that each match begins with, if it is a byte or a set */
  sl_item *items;
  sl_set *sets;
} sl_program;

typedef struct sl_capture {
  const char *start;
  ptrdiff_t length; /* or one of the two values below */
} sl_capture;

enum { SL_CAPTURE_OPEN = -1, SL_CAPTURE_POSITION = -2 };

typedef struct sl_match {
  lua_State *L;
  const sl_program *program;
  const char *start, *end; /* the whole subject */
  int64_t left;            /* steps until the next check whether scripts are being stopped */
  int64_t more;            /* steps that the limit allows after `left` */
  sl_capture captures[SL_MAX_CAPTURES];
} sl_match;

/* The program of the pattern at `index`. It is valid until the next call of this function or until Lua runs other code.
 * The program of a long pattern is left on the stack. [-0, +0|1, m] */
const sl_program *sl_program_of(lua_State *L, int index);
/* The same on top of the stack, valid while it is there. With `for_gmatch`, a `^` at the start is an ordinary byte.
 * [-0, +1, m] */
const sl_program *sl_push_program(lua_State *L, int index, bool for_gmatch);

/* Prepares for matches in `subject`. All of them share one limit on steps. [-0, +0, -] */
void sl_match_begin(sl_match *match, lua_State *L, const char *subject, size_t length);
/* Finds the first match that starts at `*start` or, unless the pattern is anchored, after it, and that does not end at
 * `except`. Returns its end and stores its start in `*start`; null if there is none. Raises if the pattern is malformed
 * or a limit stops the match. [-0, +0, e] */
const char *sl_match_next(sl_match *match, const char **start, const char *except);
/* The first occurrence of a text; null if there is none. [-0, +0, e] */
const char *sl_match_text(sl_match *match, const char *start, const char *text, size_t length);

#endif
