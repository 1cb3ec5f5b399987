#include "EmbeddedPrelude.h"

#include <string.h>

// A part of C23 that clang has in all versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char assertions_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/assertions.lua"
};
static const unsigned char blocks_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/blocks.lua"
};
static const unsigned char busted_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/busted.lua"
};
static const unsigned char checks_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/checks.lua"
};
static const unsigned char clock_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/clock.lua"
};
static const unsigned char compare_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/compare.lua"
};
static const unsigned char doubles_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/doubles.lua"
};
static const unsigned char effect_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/effect.lua"
};
static const unsigned char features_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/features.lua"
};
static const unsigned char keeper_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/keeper.lua"
};
static const unsigned char lines_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/lines.lua"
};
static const unsigned char list_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/list.lua"
};
static const unsigned char luassert_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/luassert.lua"
};
static const unsigned char luassert_texts_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/luassert_texts.lua"
};
static const unsigned char match_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/match.lua"
};
static const unsigned char operators_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/operators.lua"
};
static const unsigned char plain_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/plain.lua"
};
static const unsigned char prelude_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/prelude.lua"
};
static const unsigned char reducers_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/reducers.lua"
};
static const unsigned char scripted_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/scripted.lua"
};
static const unsigned char sharing_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/sharing.lua"
};
static const unsigned char spies_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/spies.lua"
};
static const unsigned char statements_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/statements.lua"
};
static const unsigned char test_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/test.lua"
};
static const unsigned char test_shared_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/test_shared.lua"
};
static const unsigned char test_store_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/test_store.lua"
};
static const unsigned char test_view_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/test_view.lua"
};
static const unsigned char ui_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/ui.lua"
};
static const unsigned char vocabulary_lua[] = {
#embed "../../ScriptedStore/Scripting/Prelude/vocabulary.lua"
};

#define CHUNK(name) {#name, name##_lua, sizeof name##_lua}

static const struct {
  const char *name;
  const unsigned char *bytes;
  size_t length;
} chunks[] = {
    CHUNK(assertions), CHUNK(blocks), CHUNK(busted), CHUNK(checks), CHUNK(clock), CHUNK(compare),
    CHUNK(doubles), CHUNK(effect), CHUNK(features), CHUNK(keeper), CHUNK(lines), CHUNK(list),
    CHUNK(luassert), CHUNK(luassert_texts), CHUNK(match), CHUNK(operators), CHUNK(plain),
    CHUNK(prelude), CHUNK(reducers), CHUNK(scripted), CHUNK(sharing), CHUNK(spies),
    CHUNK(statements), CHUNK(test), CHUNK(test_shared), CHUNK(test_store), CHUNK(test_view),
    CHUNK(ui), CHUNK(vocabulary),
};

const unsigned char *prelude_chunk(const char *name, size_t *length) {
  for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
    if (strcmp(chunks[i].name, name) != 0) continue;
    *length = chunks[i].length;
    return chunks[i].bytes;
  }
  *length = 0;
  return NULL;
}
