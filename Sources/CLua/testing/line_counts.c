/* Counts how often the lines of scripts run. */
#include <stdlib.h>
#include <string.h>

#include "limits/internal.h"
#include "testing/internal.h"

static sl_lines *lines_of(sl_testing *testing, const char *script) {
  for (sl_lines **at = &testing->lines; *at != NULL; at = &(*at)->next) {
    sl_lines *lines = *at;
    if (strcmp(lines->script, script) != 0) continue;
    *at = lines->next; /* moved to the front: the next line is usually one of the same script */
    lines->next = testing->lines;
    return testing->lines = lines;
  }
  sl_lines *lines = calloc(1, sizeof *lines);
  if (lines == NULL) return NULL;
  lines->script = strdup(script);
  if (lines->script == NULL) {
    free(lines);
    return NULL;
  }
  lines->next = testing->lines;
  return testing->lines = lines;
}

void sl_count_line(lua_State *L, lua_Debug *activation) {
  lua_getinfo(L, "S", activation);
  if (activation->source[0] != '@' || activation->currentline <= 0) return;
  sl_lines *lines = lines_of(&sl_vm_of(L)->testing, activation->source + 1);
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

/* Coroutines that are made later inherit the hook of the Lua thread that makes them. */
void sl_begin_lines(sl_vm *vm) {
  vm->testing.counts_lines = true;
  sl_set_count_hook(vm->L);
}

void sl_clear_lines(sl_vm *vm) {
  for (sl_lines *lines = vm->testing.lines; lines != NULL; lines = lines->next) {
    if (lines->count > 0) memset(lines->counts, 0, lines->count * sizeof *lines->counts);
  }
}

void sl_free_testing(sl_testing *testing) {
  sl_text_free(&testing->output);
  while (testing->lines != NULL) {
    sl_lines *lines = testing->lines;
    testing->lines = lines->next;
    free(lines->script);
    free(lines->counts);
    free(lines);
  }
}
