/* Making and freeing a VM, and the allocator of its Lua state. */
#include <stdlib.h>
#include <string.h>

#include "core/protect.h"

/* ---- Memory ------------------------------------------------------------------------------------------------------- */

/* The allocator: counts bytes, and refuses blocks that exceed a limit or that a test wants to fail. It never refuses to
 * shrink a block, as Lua requires. */
static void *allocate(void *user, void *pointer, size_t old_size, size_t size) {
  sl_vm *vm = user;
  size_t before = pointer ? old_size : 0;
  if (before >= vm->watched) sl_remove_hash_part(vm, pointer);
  if (size == 0) {
    sl_block_free(&vm->blocks, pointer, before);
    vm->used -= before;
    return NULL;
  }
  /* The kind of a new block: LUA_TSTRING for a string, 0 for a vector, and so on; -1 for a block that is resized. */
  int kind = pointer == NULL ? (int)old_size : -1;
  if (size > before) {
    if (vm->fail_at == 0) {
      if (vm->fail_count > 0) {
        vm->fail_count--;
        return NULL;
      }
    } else if (vm->fail_at > 0) {
      vm->fail_at--;
    }
    bool is_plain = vm->used + (size - before) <= vm->soft && size <= vm->longest && size < vm->watched;
    if (!is_plain && !sl_grants(vm, kind, pointer, before, size)) return NULL;
  }
  void *moved = sl_block_resize(&vm->blocks, pointer, before, size);
  if (moved == NULL) return NULL;
  if (vm->state == NULL) { /* the first block is the global_State */
    vm->state = moved;
    vm->state_size = size;
  } else if (vm->first_stack == NULL) { /* the second block is the stack of the main Lua thread */
    vm->first_stack = moved;
  }
  vm->used = vm->used - before + size;
  if (vm->used > vm->peak) vm->peak = vm->used;
  if (kind == 0 && size >= vm->watched) sl_add_hash_part(vm, moved, size);
  return moved;
}

bool sl_tape_reserve(sl_tape *tape, size_t more) {
  size_t needed = tape->count + more;
  if (needed <= tape->capacity) return true;
  size_t capacity = tape->capacity * 2 > needed ? tape->capacity * 2 : needed + 30;
  sl_value *items = realloc(tape->items, capacity * sizeof *items);
  if (items == NULL) return false;
  tape->items = items;
  tape->capacity = capacity;
  return true;
}

bool sl_text_append(sl_text *text, const char *bytes, size_t length) {
  size_t needed = text->count + length + 1;
  if (needed > text->capacity) {
    size_t capacity = text->capacity * 2 > needed ? text->capacity * 2 : needed + 100;
    char *grown = realloc(text->bytes, capacity);
    if (grown == NULL) return false;
    text->bytes = grown;
    text->capacity = capacity;
  }
  if (length > 0) memcpy(text->bytes + text->count, bytes, length); /* `bytes` may be null if `length` is 0 */
  text->count += length;
  text->bytes[text->count] = '\0';
  return true;
}

void sl_text_set(sl_text *text, const char *bytes, size_t length) {
  text->count = 0;
  sl_text_append(text, bytes, length);
}

void sl_text_free(sl_text *text) {
  free(text->bytes);
  *text = (sl_text){0};
}

void sl_set_error(sl_vm *vm, const char *bytes, size_t length) { sl_text_set(&vm->error, bytes, length); }

/* ---- VM ------------------------------------------------------------------------------------------------------------ */

static void measure_node(lua_State *L, sl_vm *vm) {
  enum { FEW = 4, MORE = 8 };
  size_t before = vm->used;
  lua_createtable(L, 0, FEW);
  size_t few = vm->used - before;
  lua_createtable(L, 0, MORE);
  vm->node = (vm->used - before - 2 * few) / (MORE - FEW);
  lua_pop(L, 2);
}

/* Finds the offset of `stack` in a lua_State, which differs between builds of Lua: it is the first word that points to
 * the stack of the main Lua thread. Other words that point to it are the ends of lists of stack values, and come later. */
static void find_stack(sl_vm *vm) {
  const char *first = (const char *)vm->L, *end = (const char *)vm->state + vm->state_size;
  for (const char *at = first; at + sizeof(void *) <= end; at += sizeof(void *)) {
    if (*(void *const *)at != vm->first_stack) continue;
    vm->stack_at = (size_t)(at - first);
    return;
  }
}

static int open_vm(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  lua_gc(L, LUA_GCSTOP);
  measure_node(L, vm);
  lua_gc(L, LUA_GCRESTART);
  luaL_openlibs(L); /* the sandbox copies from these; scripts never see the originals */
  vm->refs_metatable = vm->refs_cache = vm->anchors = vm->sent = vm->failure_mark = LUA_NOREF;
  sl_open_names(L);
  sl_open_boxes(L);
  sl_open_null(L);
  sl_open_patterns(L);
  sl_open_drafts(L);
  sl_open_sandbox(L);
  sl_open_bodies(L);
  sl_open_held(L);
  return 0;
}

sl_vm *sl_vm_new(const sl_hooks *hooks, void *context, size_t limit) {
  sl_vm *vm = calloc(1, sizeof *vm);
  if (vm == NULL) return NULL;
  vm->hooks = hooks;
  vm->context = context;
  vm->blocks.most = 2 * limit;
  vm->node = 3 * sizeof(void *); /* until `measure_node` has run */
  sl_set_limits(vm, &(sl_limits){.memory = limit});
  vm->fail_at = -1;

  vm->L = vm->running = lua_newstate(allocate, vm);
  if (vm->L == NULL) {
    free(vm);
    return NULL;
  }
  *(sl_vm **)lua_getextraspace(vm->L) = vm; /* all Lua threads inherit it */
  find_stack(vm);
  lua_gc(vm->L, LUA_GCINC, 0, 0, 0);
  if (sl_protect(vm, vm->L, open_vm, NULL) != LUA_OK) {
    sl_vm_free(vm);
    return NULL;
  }
  return vm;
}

void sl_free_failure(sl_failure *failure) {
  free(failure->script.bytes);
  free(failure->message.bytes);
  free(failure->traceback.bytes);
}

void sl_vm_close(sl_vm *vm) {
  if (vm->L == NULL) return;
  lua_close(vm->L);
  vm->L = vm->running = NULL;
}

void sl_vm_free(sl_vm *vm) {
  sl_vm_close(vm);
  sl_unwatch_vm(vm);
  sl_blocks_end(&vm->blocks);
  free(vm->tape.items);
  free(vm->unclaimed.items);
  free(vm->results.items);
  free(vm->text.bytes);
  free(vm->error.bytes);
  sl_free_failure(&vm->failure);
  sl_free_failure(&vm->stop);
  free(vm->output.bytes);
  sl_free_lines(vm);
  sl_free_hash_parts(vm);
  free(vm);
}

void sl_release(sl_vm *vm, int reference) {
  if (vm->L != NULL) sl_unref(vm->L, reference);
}

void sl_clear_draft_cache(sl_vm *vm) {
  int cache = LUA_NOREF;
  if (sl_new_table(vm, &cache) != LUA_OK) return; /* out of memory: the next large action tries again */
  luaL_unref(vm->L, LUA_REGISTRYINDEX, vm->refs_cache);
  vm->refs_cache = cache;
}

void sl_collect(sl_vm *vm, bool full) {
  if (vm->L == NULL) return;
  if (full) {
    lua_gc(vm->L, LUA_GCCOLLECT);
  } else {
    lua_gc(vm->L, LUA_GCSTEP, 0);
  }
}
