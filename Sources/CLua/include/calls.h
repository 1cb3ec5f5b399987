/* What Swift asks of Lua. Each function runs protected: no error of Lua leaves it. */
#ifndef CLUA_CALLS_H
#define CLUA_CALLS_H

#include "vm.h"

/* All functions here are [-0, +0, -]. One that returns an int returns a Lua status, and fills vm->failure if that is not LUA_OK;
 * only `sl_parameters` returns a number. */

/* Compiles source text, or loads bytecode, and stores a reference to the function (+1) in `*reference`. `environment` is the
 * registry reference of its _ENV, or LUA_NOREF for the globals. Bytecode that `sl_dump` has not made in this process can
 * break memory safety. */
int sl_load(sl_vm *vm, const char *text, size_t length, const char *name, bool is_bytecode, int environment, int *reference);
/* Stores the bytecode of a referenced function, with debug information, in `bytecode`, as `string.dump` makes it. */
int sl_dump(sl_vm *vm, int reference, sl_text *bytecode);
/* Calls a referenced function with `arguments` values of `tape` on the Lua thread `L`. Stores its results on
 * vm->tapes.to_swift. With `as_values`, plain tables among the results become sequences and records, otherwise
 * references. */
int sl_call(sl_vm *vm, lua_State *L, int reference, const sl_value *tape, int arguments, bool as_values);
/* The most frequent call: at least once per action. Calls a handler with `count` scalars, drafts and views. `*result`
 * is absent for nil; a box, owned (+1); SL_TAG_RUN, with the run on vm->tapes.to_swift; or SL_TAG_OTHER for anything
 * else, with its type name in as.bytes. */
int sl_handle(sl_vm *vm, lua_State *L, int reference, const sl_value *arguments, int count, sl_value *result);
/* A field of a referenced table: `sl_get_field` respects metamethods and stores the value on vm->tapes.to_swift;
 * `sl_set_field` is a raw assignment. */
int sl_get_field(sl_vm *vm, int reference, const sl_value *key, bool as_value);
int sl_set_field(sl_vm *vm, int reference, const sl_value *key, const sl_value *tape);
/* Stores all entries of a referenced table on vm->tapes.to_swift: key, value, key, value…, tables as references, in the
 * order of `next`. */
int sl_entries(sl_vm *vm, int reference);
/* Stores the elements 1, 2, 3 … of a referenced table on vm->tapes.to_swift, up to the first nil, with metamethods. Tables are
 * stored as references. */
int sl_elements(sl_vm *vm, int reference);
/* Stores the raw length of a referenced table in `*length`. */
int sl_raw_length(sl_vm *vm, int reference, int64_t *length);
/* Stores the table on vm->tapes.to_swift as a value of state: sequences and records. Rejects what cannot be stored in
 * state; `what` names the table in that error. */
int sl_to_tape(sl_vm *vm, int reference, const char *what);
/* Makes a reference (+1) to the first value of a tape. */
int sl_new_reference(sl_vm *vm, const sl_value *tape, int *reference);
/* Make a new table or environment and store a reference to it (+1) in `*reference`. */
int sl_new_table(sl_vm *vm, int *reference);
int sl_new_environment(sl_vm *vm, int *reference);
/* Makes a reference (+1) to the table of the host's globals, whose fields environments get that are made from now on. */
int sl_shared_globals(sl_vm *vm, int *reference);
/* Lets scripts of the referenced environment declare globals, and gives it the field `_G`. */
int sl_allow_globals(sl_vm *vm, int reference);
/* Makes the table of C functions and constants that the prelude builds `scripted` on. */
int sl_new_natives(sl_vm *vm, int *reference);
/* Makes a record that scripts can only read. `name` names it in messages. `resolver` references a function of the table
 * of fields and a key; it is called for each field that is not in that table. `object` is a Swift object that the record
 * retains. */
int sl_new_sealed(sl_vm *vm, const char *name, int resolver, void *object, int *reference);
/* The object of a referenced sealed record, borrowed (+0); null for anything else. */
void *sl_sealed_object(sl_vm *vm, int reference);
/* Whether a referenced table or userdata has `__call`. */
bool sl_is_callable(sl_vm *vm, int reference);
/* Makes a function that calls the hook `call` with `object`, which the function retains. With `as_values`, plain tables
 * among its arguments become sequences and records. */
int sl_new_function(sl_vm *vm, void *object, const char *name, bool as_values, int *reference);
/* The members of a class of the host, as registry references: tables of functions by name, and the functions that raise the
 * error about a member that cannot be read or written. `description` is the function for `tostring`, or LUA_NOREF. */
typedef struct sl_class_members {
  int methods, getters, setters, unreadable, unwritable, description;
} sl_class_members;
/* Makes the metatable of a class, whose boxes are of kind SL_BOX_WEAK or SL_BOX_OBJECT. */
int sl_new_class(sl_vm *vm, const char *name, bool is_weak, const sl_class_members *members, int *reference);
/* Calls a referenced view with `count` values, and writes what it returns onto vm->tapes.to_swift as SL_TAG_NODE, or SL_TAG_NULL
 * for nil and false. */
int sl_view(sl_vm *vm, lua_State *L, int reference, const sl_value *arguments, int count);
/* Calls a referenced predicate for each element that the hook `candidate` gives. */
int sl_ask_predicate(sl_vm *vm, lua_State *L, int reference);
/* Whether two referenced functions do the same: they have the same code, and equal values in their upvalues. A table equals
 * only itself, a view of a state one of the same value. Costs the code's length. */
bool sl_same_function(sl_vm *vm, int a, int b);
/* For each upvalue of the functions of `script` that can be reached from the referenced value: its name and a hash of
 * its value on vm->tapes.to_swift, if that is a scalar or a table. The hash of a table covers the scalars in it. */
int sl_upvalue_hashes(sl_vm *vm, int reference, const char *script);
/* Records in a failure the script and line of the innermost script function on the stack of `from`, from `level` on;
 * line -1 if there is none. */
void sl_locate(sl_failure *failure, lua_State *from, int level);
/* The number of parameters that a referenced script function declares; -1 for a variadic one, 255 for a C function. `*line` and
 * `*script` are where it is defined, the latter borrowed (+0) from the function; both are unchanged if the VM is closed or has
 * no memory. */
int sl_parameters(sl_vm *vm, int reference, int *line, const char **script);
/* Makes another reference (+1) to the same value. */
int sl_copy_reference(sl_vm *vm, int reference, int *copy);
void sl_release(sl_vm *vm, int reference);
/* Empties the cache of draft userdata, which grows to the number of drafts of the largest action. */
void sl_clear_draft_cache(sl_vm *vm);

#endif
