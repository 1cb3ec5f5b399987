/* How often the lines of scripts run. */
#include <stdlib.h>
#include <string.h>

#include "protect.h"

static sl_lines *lines_of(sl_vm *vm, const char *script) {
  sl_lines *first = vm->lines;
  if (first != NULL && strcmp(first->script, script) == 0) return first;
  for (sl_lines **at = &vm->lines; *at != NULL; at = &(*at)->next) {
    sl_lines *lines = *at;
    if (strcmp(lines->script, script) != 0) continue;
    *at = lines->next; /* the next line is most often of the same */
    lines->next = vm->lines;
    return vm->lines = lines;
  }
  sl_lines *lines = calloc(1, sizeof *lines);
  if (lines == NULL) return NULL;
  lines->script = strdup(script);
  if (lines->script == NULL) {
    free(lines);
    return NULL;
  }
  lines->next = vm->lines;
  return vm->lines = lines;
}

static void count_line(lua_State *L, lua_Debug *activation) {
  lua_getinfo(L, "S", activation);
  if (activation->source[0] != '@' || activation->currentline <= 0) return;
  sl_lines *lines = lines_of(sl_vm_of(L), activation->source + 1);
  if (lines == NULL) return;
  size_t line = (size_t)activation->currentline;
  if (line >= lines->count) {
    size_t count = line + 200;
    uint32_t *counts = realloc(lines->counts, count * sizeof *counts);
    if (counts == NULL) return;
    memset(counts + lines->count, 0, (count - lines->count) * sizeof *counts);
    lines->counts = counts;
    lines->count = count;
  }
  if (lines->counts[line] < UINT32_MAX) lines->counts[line]++;
}

/* Threads that are made later have the hook of the one that makes them. */
void sl_count_lines(lua_State *L) { lua_sethook(L, count_line, LUA_MASKLINE, 0); }

void sl_begin_lines(sl_vm *vm) {
  vm->counts_lines = true;
  sl_count_lines(vm->L);
}

void sl_clear_lines(sl_vm *vm) {
  for (sl_lines *lines = vm->lines; lines != NULL; lines = lines->next) {
    if (lines->count > 0) memset(lines->counts, 0, lines->count * sizeof *lines->counts);
  }
}

void sl_free_lines(sl_vm *vm) {
  while (vm->lines != NULL) {
    sl_lines *lines = vm->lines;
    vm->lines = lines->next;
    free(lines->script);
    free(lines->counts);
    free(lines);
  }
}

struct dump {
  sl_text *text;
  int reference;
};

static int append_bytes(lua_State *L, const void *bytes, size_t length, void *text) {
  (void)L;
  return sl_text_append(text, bytes, length) ? 0 : 1;
}

static int dump_body(lua_State *L) {
  struct dump *dump = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, dump->reference);
  if (lua_dump(L, append_bytes, dump->text, 0) != 0) return luaL_error(L, "not enough memory");
  return 0;
}

int sl_dump(sl_vm *vm, int reference, sl_text *text) {
  struct dump dump = {text, reference};
  text->count = 0;
  return sl_protect(vm, vm->L, dump_body, &dump);
}
