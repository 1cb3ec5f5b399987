/* The operations that Swift calls. Each runs as a protected call. */
#include "core/internal.h"
#include "drafts/internal.h"
#include "sandbox/internal.h"
#include "values/internal.h"

struct load {
  const char *text, *name, *mode;
  size_t length;
  int environment, status;
};

static int load_body(lua_State *L) {
  struct load *load = lua_touserdata(L, 1);
  load->status = sl_compile(L, load->text, load->length, load->name, load->mode);
  if (load->status != LUA_OK) return lua_error(L);
  if (load->environment != LUA_NOREF) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, load->environment);
    lua_setupvalue(L, -2, 1);
  }
  return 1;
}

int sl_load(sl_vm *vm, const char *text, size_t length, const char *name, bool is_bytecode, int environment, int *reference) {
  struct load load = {text, name, is_bytecode ? "b" : "t", length, environment, LUA_OK};
  int status = sl_make_reference(vm, load_body, &load, reference);
  /* `load_body` raises the error again, so the protected call has lost its status. */
  return status == LUA_ERRRUN && load.status != LUA_OK ? load.status : status;
}

struct dump {
  sl_text *text;
  int reference;
};

int sl_append_bytes(lua_State *L, const void *bytes, size_t length, void *text) {
  (void)L;
  return sl_text_append(text, bytes, length) ? 0 : 1;
}

static int dump_body(lua_State *L) {
  struct dump *dump = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, dump->reference);
  if (lua_dump(L, sl_append_bytes, dump->text, 0) != 0) return luaL_error(L, "not enough memory");
  return 0;
}

int sl_dump(sl_vm *vm, int reference, sl_text *bytecode) {
  struct dump dump = {bytecode, reference};
  bytecode->count = 0;
  return sl_protect(vm, vm->L, dump_body, &dump);
}

struct call {
  const sl_value *tape;
  int reference, arguments;
  bool as_values;
};

void sl_append_results(lua_State *L, int first, bool as_values) {
  int last = lua_gettop(L);
  sl_begin_tape(L);
  for (int i = first; i <= last; i++) sl_append(L, i, as_values, NULL, NULL, "result");
  sl_end_tape(sl_vm_of(L));
}

void sl_push_all(lua_State *L, const sl_value *tape, int count) {
  if (count > 8) luaL_checkstack(L, count + 8, "too many arguments"); /* a C function has room for a few */
  size_t at = 0;
  for (int i = 0; i < count; i++) sl_push(L, tape, &at);
}

static int call_body(lua_State *L) {
  const struct call *call = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, call->reference);
  sl_push_all(L, call->tape, call->arguments);
  lua_call(L, call->arguments, LUA_MULTRET);
  sl_append_results(L, 2, call->as_values);
  return 0;
}

int sl_call(sl_vm *vm, lua_State *L, int reference, const sl_value *tape, int arguments, bool as_values) {
  struct call call = {tape, reference, arguments, as_values};
  return sl_protect(vm, L, call_body, &call);
}

struct handle {
  const sl_value *arguments;
  sl_value *result;
  int reference, count;
};

static int handle_body(lua_State *L) {
  struct handle *handle = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, handle->reference);
  sl_push_all(L, handle->arguments, handle->count);
  lua_call(L, handle->count, 1);
  sl_value *result = handle->result;
  if (lua_isnil(L, -1)) {
    result->tag = SL_TAG_ABSENT;
    return 0;
  }
  const sl_run *run = sl_to_run(L, -1);
  if (run != NULL) {
    sl_begin_tape(L);
    sl_append_run(L, -1, run);
    sl_end_tape(sl_vm_of(L));
    result->tag = SL_TAG_RUN;
    return 0;
  }
  int kind;
  void *object = sl_to_box(L, -1, &kind);
  if (object != NULL) {
    /* Lua may collect the userdata once it is off the stack, so the result is owned (+1). */
    sl_vm_of(L)->hooks->retain(object);
    result->tag = SL_TAG_BOX;
    result->slot = (uint32_t)kind;
    result->as.object = object;
    return 0;
  }
  result->tag = SL_TAG_OTHER;
  if (sl_to_ref(L, -1) != NULL) {
    sl_check_ref(L, -1);
    result->as.bytes = "table";
  } else {
    result->as.bytes = luaL_typename(L, -1);
  }
  return 0;
}

int sl_handle(sl_vm *vm, lua_State *L, int reference, const sl_value *arguments, int count, sl_value *result) {
  struct handle handle = {arguments, result, reference, count};
  return sl_protect(vm, L, handle_body, &handle);
}

/* An operation on the value of a reference. */
struct operation {
  int reference;
  const sl_value *key, *tape;
  const char *what; /* the name of the value in the error that it cannot be stored in state */
  bool as_value;
  int64_t length;
};

/* Pushes the value of the operation. [-0, +1, -] */
static struct operation *push_subject(lua_State *L) {
  struct operation *operation = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, operation->reference);
  return operation;
}

/* Stores the value on top of the stack on vm->tapes.to_swift. [-0, +0, e] */
static int store(lua_State *L, const struct operation *operation) {
  sl_begin_tape(L);
  sl_append(L, -1, operation->as_value, NULL, NULL, operation->what);
  sl_end_tape(sl_vm_of(L));
  return 0;
}

static int get_field(lua_State *L) {
  const struct operation *operation = push_subject(L);
  sl_push_value(L, operation->key);
  lua_gettable(L, -2);
  return store(L, operation);
}

int sl_get_field(sl_vm *vm, int reference, const sl_value *key, bool as_value) {
  struct operation operation = {.reference = reference, .key = key, .as_value = as_value, .what = "field"};
  return sl_protect(vm, vm->L, get_field, &operation);
}

static int set_field(lua_State *L) {
  const struct operation *operation = push_subject(L);
  sl_push_value(L, operation->key);
  size_t at = 0;
  sl_push(L, operation->tape, &at);
  lua_rawset(L, -3);
  return 0;
}

int sl_set_field(sl_vm *vm, int reference, const sl_value *key, const sl_value *tape) {
  struct operation operation = {.reference = reference, .key = key, .tape = tape};
  return sl_protect(vm, vm->L, set_field, &operation);
}

static int store_entries(lua_State *L) {
  sl_begin_tape(L);
  push_subject(L);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    sl_append(L, -2, false, NULL, NULL, NULL);
    sl_append(L, -1, false, NULL, NULL, NULL);
  }
  sl_end_tape(sl_vm_of(L));
  return 0;
}

int sl_entries(sl_vm *vm, int reference) {
  return sl_protect(vm, vm->L, store_entries, &(struct operation){.reference = reference});
}

/* With `__index` there may be no end, so the elements are collected in Lua's memory, which has a limit. A metamethod may call
 * Swift, which uses the tapes, so they are written there afterwards. */
static int store_elements(lua_State *L) {
  const sl_vm *vm = sl_vm_of(L);
  push_subject(L); /* at 2 */
  lua_newtable(L); /* at 3: the elements */
  lua_Integer count = 0;
  while (lua_geti(L, 2, count + 1) != LUA_TNIL) {
    sl_poll(L, vm);
    lua_rawseti(L, 3, ++count);
  }
  sl_begin_tape(L);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 3, i);
    sl_append(L, -1, false, NULL, NULL, NULL);
    lua_pop(L, 1);
  }
  sl_end_tape(sl_vm_of(L));
  return 0;
}

int sl_elements(sl_vm *vm, int reference) {
  return sl_protect(vm, vm->L, store_elements, &(struct operation){.reference = reference});
}

static int measure(lua_State *L) {
  struct operation *operation = push_subject(L);
  operation->length = (int64_t)lua_rawlen(L, -1);
  return 0;
}

int sl_raw_length(sl_vm *vm, int reference, int64_t *length) {
  struct operation operation = {.reference = reference, .length = *length};
  int status = sl_protect(vm, vm->L, measure, &operation);
  *length = operation.length;
  return status;
}

static int store_subject(lua_State *L) { return store(L, push_subject(L)); }

int sl_to_tape(sl_vm *vm, int reference, const char *what) {
  struct operation operation = {.reference = reference, .as_value = true, .what = what};
  return sl_protect(vm, vm->L, store_subject, &operation);
}

static int new_table(lua_State *L) {
  lua_newtable(L);
  return 1;
}

int sl_new_table(sl_vm *vm, int *reference) { return sl_make_reference(vm, new_table, NULL, reference); }

static int new_reference(lua_State *L) {
  size_t at = 0;
  sl_push(L, lua_touserdata(L, 1), &at);
  return 1;
}

int sl_new_reference(sl_vm *vm, const sl_value *tape, int *reference) {
  return sl_make_reference(vm, new_reference, (void *)tape, reference);
}

static int new_environment(lua_State *L) {
  sl_push_environment(L);
  return 1;
}

int sl_new_environment(sl_vm *vm, int *reference) {
  return sl_make_reference(vm, new_environment, NULL, reference);
}

static int copy_reference(lua_State *L) {
  push_subject(L);
  return 1;
}

int sl_copy_reference(sl_vm *vm, int reference, int *copy) {
  return sl_make_reference(vm, copy_reference, &(struct operation){.reference = reference}, copy);
}

int sl_parameters(sl_vm *vm, int reference, int *line, const char **script) {
  lua_Debug frame;
  if (vm->L == NULL || !lua_checkstack(vm->L, 1)) return 255;
  lua_rawgeti(vm->L, LUA_REGISTRYINDEX, reference);
  lua_getinfo(vm->L, ">Su", &frame);
  *line = frame.linedefined;
  *script = frame.source; /* borrowed (+0) from the prototype of the function, which the reference keeps alive */
  return frame.what[0] == 'C' ? 255 : frame.isvararg ? -1 : frame.nparams;
}
