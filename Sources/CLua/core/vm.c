/* Making and freeing a VM. */
#include <stdlib.h>

#include "core/internal.h"
#include "coroutines/internal.h"
#include "drafts/internal.h"
#include "limits/internal.h"
#include "sandbox/internal.h"
#include "testing/internal.h"
#include "values/internal.h"

/* Finds the offset of `stack` in a lua_State, which differs between builds of Lua: it is the first word that points to
 * the stack of the main Lua thread. Other words that point to it are the ends of lists of stack values, and come later. */
static void find_stack(sl_vm *vm) {
  const char *first = (const char *)vm->L, *end = (const char *)vm->internals.state + vm->internals.state_size;
  for (const char *at = first; at + sizeof(void *) <= end; at += sizeof(void *)) {
    if (*(void *const *)at != vm->internals.first_stack) continue;
    vm->internals.stack_at = (size_t)(at - first);
    return;
  }
}

/* Lua makes the metatable of its buffers with the first long one. If memory ended meanwhile, it would keep an unfinished one, and
 * all long buffers of the VM would fail. Here such an end is also that of the VM. [-0, +0, m] */
static void open_buffers(lua_State *L) {
  luaL_Buffer buffer;
  luaL_buffinitsize(L, &buffer, LUAL_BUFFERSIZE + 1);
  luaL_pushresult(&buffer);
  lua_pop(L, 1);
}

static int open_vm(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  lua_gc(L, LUA_GCSTOP);
  sl_measure_hash_parts(L, vm);
  lua_gc(L, LUA_GCRESTART);
  luaL_openlibs(L); /* the sandbox copies from these; scripts never see the originals */
  open_buffers(L);
  sl_open_names(L);
  sl_open_boxes(L);
  sl_open_null(L);
  sl_open_drafts(L);
  sl_open_sandbox(L);
  return 0;
}

sl_vm *sl_vm_new(const sl_hooks *hooks, void *context, size_t limit) {
  sl_vm *vm = calloc(1, sizeof *vm);
  if (vm == NULL) return NULL;
  vm->hooks = hooks;
  vm->context = context;
  sl_open_memory(vm, limit);

  vm->L = vm->running = lua_newstate(sl_allocate, vm);
  if (vm->L == NULL) {
    sl_vm_free(vm);
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

void sl_vm_close(sl_vm *vm) {
  if (vm->L == NULL) return;
  lua_close(vm->L);
  vm->L = vm->running = NULL;
}

void sl_vm_free(sl_vm *vm) {
  sl_vm_close(vm);
  sl_unwatch_vm(vm);
  sl_free_memory(vm);
  sl_free_tapes(&vm->tapes);
  sl_text_free(&vm->error.message);
  sl_free_failure(&vm->failure);
  sl_free_failure(&vm->stop.failure);
  sl_free_testing(&vm->testing);
  free(vm);
}

void sl_release(sl_vm *vm, int reference) {
  if (vm->L != NULL) luaL_unref(vm->L, LUA_REGISTRYINDEX, reference);
}
