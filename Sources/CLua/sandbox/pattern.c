/* Compiling patterns to programs, and the cache of programs.
 *
 * Invariants of the cache:
 * 1. While a pattern is alive, the address of its bytes identifies it. Short strings are interned, so all uses of a short
 *    pattern have the same address.
 * 2. A cached program keeps its pattern alive, so slot.text never dangles. slot.seen may dangle, but is only compared.
 * 3. A pattern is cached when it is used twice in a row in its slot, or when it must outlive the call
 *    (`sl_push_program`). Before that, one of at most LONGEST_SCRATCH bytes is compiled into the scratch program. */
#include <string.h>

#include "sandbox/pattern.h"

/* ---- Classes ---------------------------------------------------------------------------------------------------------- */

typedef struct class {
  bool exists;
  sl_set members, others;
} class;

#define CLASS(low, high) \
  {true, {{UINT64_C(low), UINT64_C(high), 0, 0}}, {{~UINT64_C(low), ~UINT64_C(high), ~UINT64_C(0), ~UINT64_C(0)}}}

/* By lower-case letter, for the C locale, whatever the locale of the host is, so that a script behaves the same
 * everywhere. */
static const class classes[26] = {
    ['a' - 'a'] = CLASS(0x0000000000000000, 0x07FFFFFE07FFFFFE),
    ['c' - 'a'] = CLASS(0x00000000FFFFFFFF, 0x8000000000000000),
    ['d' - 'a'] = CLASS(0x03FF000000000000, 0x0000000000000000),
    ['g' - 'a'] = CLASS(0xFFFFFFFE00000000, 0x7FFFFFFFFFFFFFFF),
    ['l' - 'a'] = CLASS(0x0000000000000000, 0x07FFFFFE00000000),
    ['p' - 'a'] = CLASS(0xFC00FFFE00000000, 0x78000001F8000001),
    ['s' - 'a'] = CLASS(0x0000000100003E00, 0x0000000000000000),
    ['u' - 'a'] = CLASS(0x0000000000000000, 0x0000000007FFFFFE),
    ['w' - 'a'] = CLASS(0x03FF000000000000, 0x07FFFFFE07FFFFFE),
    ['x' - 'a'] = CLASS(0x03FF000000000000, 0x0000007E0000007E),
    ['z' - 'a'] = CLASS(0x0000000000000001, 0x0000000000000000), /* no longer in the manual, still in Lua */
};

static const sl_set everything = {{~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)}};

/* The set of `%letter`; null if that is an escaped byte. */
static const sl_set *class_of(char letter) {
  if (letter >= 'a' && letter <= 'z') {
    const class *found = &classes[letter - 'a'];
    return found->exists ? &found->members : NULL;
  }
  if (letter >= 'A' && letter <= 'Z') {
    const class *found = &classes[letter - 'A'];
    return found->exists ? &found->others : NULL;
  }
  return NULL;
}

static void add_range(sl_set *set, char from, char to) {
  int low = (unsigned char)from, high = (unsigned char)to;
  for (int word = 0; word < 4; word++) {
    int first = low > 64 * word ? low : 64 * word, last = high < 64 * word + 63 ? high : 64 * word + 63;
    if (first <= last) set->bits[word] |= ~UINT64_C(0) >> (63 - (last - first)) << (first & 63);
  }
}

/* ---- Compiling -------------------------------------------------------------------------------------------------------- */

typedef struct compiler {
  const char *at, *end;
  sl_program *program;
  sl_item *item;       /* the next free item */
  sl_item *choice;     /* the last item with a choice */
  sl_set *set;         /* the next free set */
  bool open[SL_MAX_CAPTURES];
  size_t levels;       /* how deep Lua's own matching could nest */
} compiler;

/* Lua's MAXCCALLS for patterns. */
enum { MOST_LEVELS = 200 };

static sl_item *add(compiler *c, sl_item_kind kind) {
  sl_item *item = c->item++;
  item->kind = (uint8_t)kind;
  item->back = c->choice == NULL ? 0 : (uint32_t)(item - c->choice);
  return item;
}

/* Adds an item that raises `message`, followed by `number` unless that is negative. Matching cannot get past it, so
 * compiling ends. */
static void mistake(compiler *c, const char *message, int number) {
  sl_item *item = add(c, SL_ITEM_WRONG);
  item->text = message;
  item->length = (size_t)(number + 1);
  c->at = c->end;
}

/* Reads the set whose `[` is at `c->at`, and moves past it. Null after a mistake. As in Lua, two rules apply: in the
 * search for the closing `]`, `%` escapes the next byte; in the contents, the end of a range may be any byte. */
static const sl_set *read_set(compiler *c) {
  const char *at = c->at + 1;
  bool is_complement = at < c->end && *at == '^';
  if (is_complement) at++;
  const char *close = at;
  do {
    if (close >= c->end) {
      mistake(c, "malformed pattern (missing ']')", -1);
      return NULL;
    }
    close += *close == '%' && close + 1 < c->end ? 2 : 1;
  } while (close >= c->end || *close != ']');
  sl_set *set = c->set++;
  memset(set, 0, sizeof *set);
  while (at < close) {
    if (*at == '%') {
      const sl_set *class = class_of(at[1]);
      if (class == NULL) {
        add_range(set, at[1], at[1]);
      } else {
        for (int word = 0; word < 4; word++) set->bits[word] |= class->bits[word];
      }
      at += 2;
    } else if (close - at > 2 && at[1] == '-') {
      add_range(set, at[0], at[2]);
      at += 3;
    } else {
      add_range(set, *at, *at);
      at++;
    }
  }
  if (is_complement) {
    for (int word = 0; word < 4; word++) set->bits[word] = ~set->bits[word];
  }
  c->at = close + 1;
  return set;
}

/* Reads a byte, a set or `.`, with its repetition. */
static void read_single(compiler *c) {
  const sl_set *set = NULL;
  const char *byte = NULL;
  switch (*c->at) {
    case '.':
      set = &everything;
      c->at++;
      break;
    case '[':
      set = read_set(c);
      if (set == NULL) return;
      break;
    case '%':
      if (c->at + 1 == c->end) {
        mistake(c, "malformed pattern (ends with '%')", -1);
        return;
      }
      set = class_of(c->at[1]);
      byte = c->at + 1;
      c->at += 2;
      break;
    default: byte = c->at++; break;
  }
  char suffix = c->at < c->end ? *c->at : '\0';
  bool repeats = suffix == '*' || suffix == '+' || suffix == '-' || suffix == '?';
  if (!repeats && set == NULL) {
    sl_item *before = c->item == c->program->items ? NULL : c->item - 1;
    if (before != NULL && before->kind == SL_ITEM_TEXT && before->text + before->length == byte) {
      before->length++;
      return;
    }
    sl_item *item = add(c, SL_ITEM_TEXT);
    item->text = byte;
    item->length = 1;
    return;
  }
  if (set == NULL) {
    memset(c->set, 0, sizeof *c->set);
    add_range(c->set, *byte, *byte);
    set = c->set++;
  }
  bool is_any = set == &everything;
  if (!repeats) {
    add(c, is_any ? SL_ITEM_ANY : SL_ITEM_SET)->set = set;
    return;
  }
  c->at++;
  c->levels++;
  sl_item *item = add(c, suffix == '-' ? SL_ITEM_FEW : suffix == '?' ? SL_ITEM_MAYBE : is_any ? SL_ITEM_MANY_ANY : SL_ITEM_MANY);
  item->set = set;
  item->least = suffix == '+';
  c->choice = item;
}

static void read_open(compiler *c) {
  sl_program *program = c->program;
  if (program->captures == SL_MAX_CAPTURES) {
    mistake(c, "too many captures", -1);
    return;
  }
  bool is_position = c->at + 1 < c->end && c->at[1] == ')';
  c->at += is_position ? 2 : 1;
  c->levels++;
  c->open[program->captures] = !is_position;
  add(c, is_position ? SL_ITEM_POSITION : SL_ITEM_OPEN)->capture = program->captures++;
}

static void read_close(compiler *c) {
  int capture = c->program->captures - 1;
  while (capture >= 0 && !c->open[capture]) capture--;
  if (capture < 0) {
    mistake(c, "invalid pattern capture", -1);
    return;
  }
  c->at++;
  c->levels++;
  c->open[capture] = false;
  add(c, SL_ITEM_CLOSE)->capture = (uint8_t)capture;
}

static void read_balanced(compiler *c) {
  if (c->end - c->at < 4) {
    mistake(c, "malformed pattern (missing arguments to '%b')", -1);
    return;
  }
  sl_item *item = add(c, SL_ITEM_BALANCED);
  item->text = c->at + 2;
  item->first = (uint8_t)c->at[2];
  item->last = (uint8_t)c->at[3];
  c->at += 4;
}

static void read_frontier(compiler *c) {
  c->at += 2;
  if (c->at == c->end || *c->at != '[') {
    mistake(c, "missing '[' after '%f' in pattern", -1);
    return;
  }
  const sl_set *set = read_set(c);
  if (set != NULL) add(c, SL_ITEM_FRONTIER)->set = set;
}

static void read_repeat(compiler *c) {
  int number = c->at[1] - '0';
  if (number < 1 || number > c->program->captures || c->open[number - 1]) {
    mistake(c, "invalid capture index %", number);
    return;
  }
  add(c, SL_ITEM_REPEAT)->capture = (uint8_t)(number - 1);
  c->at += 2;
}

static void read_escape(compiler *c) {
  char letter = c->at + 1 < c->end ? c->at[1] : '\0';
  if (letter == 'b') {
    read_balanced(c);
  } else if (letter == 'f') {
    read_frontier(c);
  } else if (letter >= '0' && letter <= '9') {
    read_repeat(c);
  } else {
    read_single(c);
  }
}

static const sl_item *lead_of(const sl_item *item) {
  while (item->kind == SL_ITEM_OPEN || item->kind == SL_ITEM_POSITION) item++;
  bool is_byte = item->kind == SL_ITEM_TEXT || item->kind == SL_ITEM_BALANCED;
  bool is_set = item->kind == SL_ITEM_SET || (item->kind == SL_ITEM_MANY && item->least == 1);
  return is_byte || is_set ? item : NULL;
}

/* Fills `program`. Its items have room for one more than the pattern has bytes, its sets for half as many as it has
 * bytes. */
static void compile(sl_program *program, const char *text, size_t length, bool for_gmatch) {
  compiler c = {.at = text, .end = text + length, .program = program, .item = program->items, .set = program->sets};
  program->captures = 0;
  program->is_anchored = !for_gmatch && length > 0 && *text == '^';
  if (program->is_anchored) c.at++;
  while (c.at < c.end) {
    switch (*c.at) {
      case '(': read_open(&c); break;
      case ')': read_close(&c); break;
      case '%': read_escape(&c); break;
      case '$':
        if (c.at + 1 < c.end) {
          read_single(&c);
        } else {
          add(&c, SL_ITEM_END);
          c.at++;
        }
        break;
      default: read_single(&c); break;
    }
  }
  add(&c, SL_ITEM_FINISH);
  program->is_deep = c.levels >= MOST_LEVELS;
  program->lead = lead_of(program->items);
}

/* ---- The cache ------------------------------------------------------------------------------------------------------- */

enum { SLOTS = 64, LONGEST_SCRATCH = 63, LONGEST_KEPT = 255 };

/* See the invariants at the top. */
typedef struct slot {
  const char *text; /* the pattern of `program`; null if the slot is empty */
  const char *seen; /* the last pattern that used this slot without a program */
  sl_program *program;
} slot;

typedef struct sl_patterns {
  slot slots[SLOTS];
  sl_program scratch;
  sl_item items[LONGEST_SCRATCH + 1];
  sl_set sets[LONGEST_SCRATCH / 2 + 1];
} sl_patterns;

void sl_open_patterns(lua_State *L) {
  sl_patterns *patterns = lua_newuserdatauv(L, sizeof *patterns, 1);
  memset(patterns, 0, sizeof *patterns);
  patterns->scratch.items = patterns->items;
  patterns->scratch.sets = patterns->sets;
  lua_createtable(L, SLOTS, 0);
  lua_setiuservalue(L, -2, 1);
  sl_vm *vm = sl_vm_of(L);
  vm->sandbox.patterns = patterns;
  vm->sandbox.patterns_reference = luaL_ref(L, LUA_REGISTRYINDEX);
}

static slot *slot_of(sl_patterns *patterns, const char *text) {
  uint64_t mixed = (uint64_t)(uintptr_t)text * UINT64_C(0x9E3779B97F4A7C15);
  return &patterns->slots[mixed >> 58];
}

/* Pushes a new program, in a userdata. [-0, +1, m] */
static sl_program *make(lua_State *L, int index, bool for_gmatch) {
  index = lua_absindex(L, index);
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  size_t items = length + 1, sets = length / 2;
  if (length > (SIZE_MAX / 2 - sizeof(sl_program)) / (sizeof(sl_item) + sizeof(sl_set))) luaL_error(L, "not enough memory");
  sl_program *program =
      lua_newuserdatauv(L, sizeof *program + items * sizeof(sl_item) + sets * sizeof(sl_set), 1);
  program->items = (sl_item *)(program + 1);
  program->sets = (sl_set *)(program->items + items);
  compile(program, text, length, for_gmatch);
  lua_pushvalue(L, index);
  lua_setiuservalue(L, -2, 1);
  return program;
}

/* Makes a cached program and pushes it. [-0, +1, m] */
static sl_program *keep(lua_State *L, int index, slot *slot, const char *text) {
  index = lua_absindex(L, index);
  sl_vm *vm = sl_vm_of(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, vm->sandbox.patterns_reference);
  lua_getiuservalue(L, -1, 1);
  sl_program *program = make(L, index, false);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, slot - vm->sandbox.patterns->slots + 1);
  slot->text = text;
  slot->program = program;
  lua_replace(L, -3);
  lua_pop(L, 1);
  return program;
}

const sl_program *sl_program_of(lua_State *L, int index) {
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  sl_patterns *patterns = sl_vm_of(L)->sandbox.patterns;
  slot *slot = slot_of(patterns, text);
  if (slot->text == text) return slot->program;
  if (length <= LONGEST_KEPT && slot->seen == text) {
    sl_program *program = keep(L, index, slot, text);
    lua_pop(L, 1);
    return program;
  }
  slot->seen = text; /* a pattern that is used once is not worth a program */
  if (length > LONGEST_SCRATCH) return make(L, index, false);
  compile(&patterns->scratch, text, length, false);
  return &patterns->scratch;
}

const sl_program *sl_push_program(lua_State *L, int index, bool for_gmatch) {
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  sl_vm *vm = sl_vm_of(L);
  if (length > LONGEST_KEPT || (for_gmatch && length > 0 && *text == '^')) return make(L, index, for_gmatch);
  slot *slot = slot_of(vm->sandbox.patterns, text);
  if (slot->text != text) return keep(L, index, slot, text);
  index = lua_absindex(L, index);
  lua_rawgeti(L, LUA_REGISTRYINDEX, vm->sandbox.patterns_reference);
  lua_getiuservalue(L, -1, 1);
  lua_rawgeti(L, -1, slot - vm->sandbox.patterns->slots + 1);
  lua_replace(L, -3);
  lua_pop(L, 1);
  return slot->program;
}
