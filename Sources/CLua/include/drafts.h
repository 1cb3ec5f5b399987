/* Which drafts and views scripts may use, and the userdata that stand for them. */
#ifndef CLUA_DRAFTS_H
#define CLUA_DRAFTS_H

#include <stdbool.h>
#include <stdint.h>

/* What is valid during a call of a handler. */
typedef struct sl_validity {
  /* The generation of the running handler call; 0 outside of one. Drafts of another generation are dead. */
  uint64_t generation;
  /* The same for views. The functions of an effect that a handler returned may still read the views of that handler call. */
  uint64_t view_generation;
  uint16_t owner;              /* the number of the feature that gets the next drafts, for messages */
} sl_validity;

/* Swift changes what is valid, with the functions below. All else belongs to drafts/draft.c.
 *
 * Invariants:
 * 1. `last_generation` only grows. So a generation never returns, and a reference that has died stays dead.
 * 2. The registry keeps `identity` alive, so its address is not used again. */
typedef struct sl_drafts {
  sl_validity valid;
  uint64_t last_generation;    /* the highest generation so far */
  const void *identity;        /* the address of the metatable of drafts and views, to recognise them */
  int metatable, cache;        /* registry references: that metatable; the cache from arena index to userdata */
} sl_drafts;

/* Makes the drafts of a new generation valid, and with it its views, unless `keeps_views`. Returns what was valid
 * before, for `sl_end_drafts`. */
static inline sl_validity sl_begin_drafts(sl_drafts *drafts, uint16_t owner, bool keeps_views) {
  sl_validity outer = drafts->valid;
  drafts->valid.generation = ++drafts->last_generation;
  if (!keeps_views) drafts->valid.view_generation = drafts->last_generation;
  drafts->valid.owner = owner;
  return outer;
}
static inline void sl_end_drafts(sl_drafts *drafts, sl_validity outer) { drafts->valid = outer; }

/* Makes the views of `generation` valid. Returns the generation whose views were valid before. */
static inline uint64_t sl_set_valid_views(sl_drafts *drafts, uint64_t generation) {
  uint64_t outer = drafts->valid.view_generation;
  drafts->valid.view_generation = generation;
  return outer;
}
/* Makes the views of a new generation valid. */
static inline void sl_begin_views(sl_drafts *drafts) { drafts->valid.view_generation = ++drafts->last_generation; }

/* Replaces the cache of userdata by another table: a registry reference, which it owns. Returns the previous one. */
static inline int sl_exchange_draft_cache(sl_drafts *drafts, int cache) {
  int outer = drafts->cache;
  drafts->cache = cache;
  return outer;
}

#endif
