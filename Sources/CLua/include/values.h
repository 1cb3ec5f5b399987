/* Values that cross between Lua and Swift, and the userdata in which Lua holds Swift's. */
#ifndef CLUA_VALUES_H
#define CLUA_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most containers inside each other, including the outermost: Swift's `maximumDepth`. */
#define SL_MAX_DEPTH 128

/* Messages about values that both C and Swift refuse. (Swift imports no literal that is made of parts, so the first one
 * repeats the depth. Swift's `SharedConstants` compares it.) */
#define SL_REASON_DEPTH "state cannot be nested deeper than 128 tables"
#define SL_REASON_KEY_NOT_UTF8 "a key that is not UTF-8 cannot be stored in state"
#define SL_REASON_INTEGER_KEY "an object refuses integer keys; use tostring(id)"

/* The first ten are the cases of Swift's `Tag`. The others exist only on tapes. (Macros, because Swift imports them as
 * Int32.) */
#define SL_TAG_ABSENT 0         /* nil */
#define SL_TAG_NULL 1
#define SL_TAG_BOOLEAN 2
#define SL_TAG_INTEGER 3
#define SL_TAG_FLOAT 4
#define SL_TAG_STRING 5         /* as.bytes, length */
#define SL_TAG_LIST 6           /* as.bits is a node of a state tree */
#define SL_TAG_OBJECT 7         /* as.bits is a node of a state tree */
#define SL_TAG_EMPTY 8          /* as.bits is the kind of empty table, SL_EMPTY_… */
#define SL_TAG_DICTIONARY 9     /* as.bits is a node of a state tree */

#define SL_TAG_DRAFT 16         /* slot = index in the draft arena, length = generation */
/* flag = the tag of the value, as.bits = its bits, length = generation; slot = its number in the record of what a view reads, or
 * 0 if nothing is recorded */
#define SL_TAG_VIEW 17
#define SL_TAG_SEQUENCE 18      /* a plain table with the keys 1 … slot; its elements follow */
#define SL_TAG_RECORD 19        /* a plain table with `slot` string keys; key, value, key, value… follow */
/* A registry reference, in `slot`, as in SL_TAG_TABLE and SL_TAG_OTHER. To Swift: owned by Swift (+1). To Lua:
 * borrowed (+0). */
#define SL_TAG_FUNCTION 20
#define SL_TAG_TABLE 21
/* A Swift object: slot = SL_BOX_…, as.object is borrowed (+0) in both directions, and C retains what it stores. Only the
 * result of `sl_handle` is owned by Swift (+1). */
#define SL_TAG_BOX 22
#define SL_TAG_OTHER 23         /* a Lua thread, or a userdata that is not ours: slot = registry reference */
#define SL_TAG_CANCELLED 24     /* effect.cancelled; only from Swift to Lua */
/* An `sl_run` that a handler returned: flag = cancelInFlight. The function, the `catch` function or absent, and the id or
 * absent follow. */
#define SL_TAG_RUN 25
/* A node of a view, with `slot` properties; key, value, key, value… follow. A function among the values is an SL_TAG_FUNCTION, whose
 * flag says what it has captured: the bits SL_CAPTURES_. */
#define SL_TAG_NODE 26
#define SL_CAPTURES_ARGUMENT 1 /* an argument of the view */
#define SL_CAPTURES_STATE 2    /* an argument of the view, or a container inside of one */

/* One entry of a tape. The bytes of a string are borrowed (+0): on a tape to Swift from Lua, whose table or stack keeps
 * the string alive; on a tape to Lua from the state tree or from `sl_vm.tapes.text`. */
typedef struct sl_value {
  uint8_t tag;
  uint8_t flag;
  uint16_t reserved;
  uint32_t slot;
  uint64_t length;
  union {
    int64_t integer;
    double number;
    const char *bytes;
    void *object;
    uint64_t bits;
  } as;
} sl_value;

/* Swift's `EmptyKind`: how an empty table is encoded, and whether its first write makes it an array or an object. */
#define SL_EMPTY_TABLE 0
#define SL_EMPTY_FORMER_OBJECT 1 /* `{}` in JSON, or an object whose keys were all removed; it accepts either kind of key */
#define SL_EMPTY_ARRAY 2         /* scripted.array */
#define SL_EMPTY_OBJECT 3        /* scripted.object */
#define SL_EMPTY_KINDS 4

/* The kind of object in a box. It determines the metatable of the box. */
#define SL_BOX_HOST 0
#define SL_BOX_EFFECT 1
#define SL_BOX_KINDS 2
/* The boxes of objects of a class, each of which has its own metatable. To Lua: length = the registry reference of the
 * metatable. In the second kind the object is a holder, which holds the object of the class weakly. */
#define SL_BOX_OBJECT 2
#define SL_BOX_WEAK 3

/* A flag of a string on `sl_vm.tapes.to_lua`: as.integer is an offset into `sl_vm.tapes.text`. */
#define SL_FLAG_IN_TEXT 1
/* A flag of a draft: no other path in this call leads to it, so it needs no entry in the cache of userdata. */
#define SL_FLAG_SOLE 2

/* The payload of the userdata of a draft or view. */
typedef struct sl_ref {
  uint64_t generation; /* of the handler call that made it; the reference is dead when that generation is no longer valid */
  uint64_t bits;       /* of a view: its node, or its kind of empty table */
  uint32_t slot;       /* of a draft: its index in the arena; of a view: see SL_TAG_VIEW */
  uint8_t kind;        /* SL_TAG_DRAFT or SL_TAG_VIEW */
  uint8_t tag;         /* of a view: the tag of its value */
  uint16_t owner;      /* `sl_vm.drafts.valid.owner` when it was made: the feature that the message about a dead reference names */
} sl_ref;

/* The payload of the userdata that `effect.run` makes, also after `:cancellable` with a scalar id. Its user values
 * (SL_RUN_…) hold everything that Swift needs, so it needs no Swift object and no finalizer. If it becomes part of
 * another effect, or leaves the scripts in another way, it gets a box, which it then stores. */
typedef struct sl_run {
  bool catches;
  bool has_id;
  bool replaces; /* the option `cancelInFlight` */
  bool is_boxed; /* user value SL_RUN_BOX holds the effect; the other user values are no longer read */
} sl_run;

/* The indices of the user values. A box replaces the function. A run without `catch` or id has fewer user values. */
#define SL_RUN_FUNCTION 1
#define SL_RUN_BOX 1
#define SL_RUN_ID 2
#define SL_RUN_CATCH 3

/* Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. The same as Swift's
 * `String(validating:as:)`. [-0, +0, -] */
bool sl_is_utf8(const char *text, size_t length);
/* Whether a character controls a terminal, or makes a text look like another one. Line feed and tab do not. The same as
 * Swift's `VisibleText.isHidden`. [-0, +0, -] */
bool sl_is_hidden(uint32_t scalar);

/* A key: a string, or an integer if `bytes` is null. Lua interns strings of at most 40 bytes, so an equal key has an
 * equal address within one VM. */
typedef struct sl_key {
  const char *bytes;
  size_t length;
  int64_t integer;
} sl_key;

#endif
