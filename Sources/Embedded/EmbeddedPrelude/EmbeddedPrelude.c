#include "EmbeddedPrelude.h"

// A part of C23 that clang has in all versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define EMBEDDED(file) \
  const unsigned char *file(size_t *length) { \
    *length = sizeof file##_bytes; \
    return file##_bytes; \
  }

static const unsigned char prelude_assertions_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/assertions.lua"
};
EMBEDDED(prelude_assertions)

static const unsigned char prelude_blocks_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/blocks.lua"
};
EMBEDDED(prelude_blocks)

static const unsigned char prelude_busted_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/busted.lua"
};
EMBEDDED(prelude_busted)

static const unsigned char prelude_compare_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/compare.lua"
};
EMBEDDED(prelude_compare)

static const unsigned char prelude_doubles_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/doubles.lua"
};
EMBEDDED(prelude_doubles)

static const unsigned char prelude_effect_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/effect.lua"
};
EMBEDDED(prelude_effect)

static const unsigned char prelude_keeper_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/keeper.lua"
};
EMBEDDED(prelude_keeper)

static const unsigned char prelude_lines_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/lines.lua"
};
EMBEDDED(prelude_lines)

static const unsigned char prelude_list_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/list.lua"
};
EMBEDDED(prelude_list)

static const unsigned char prelude_luassert_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/luassert.lua"
};
EMBEDDED(prelude_luassert)

static const unsigned char prelude_luassert_texts_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/luassert_texts.lua"
};
EMBEDDED(prelude_luassert_texts)

static const unsigned char prelude_match_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/match.lua"
};
EMBEDDED(prelude_match)

static const unsigned char prelude_operators_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/operators.lua"
};
EMBEDDED(prelude_operators)

static const unsigned char prelude_plain_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/plain.lua"
};
EMBEDDED(prelude_plain)

static const unsigned char prelude_presentation_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/presentation.lua"
};
EMBEDDED(prelude_presentation)

static const unsigned char prelude_scripted_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/scripted.lua"
};
EMBEDDED(prelude_scripted)

static const unsigned char prelude_sharing_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/sharing.lua"
};
EMBEDDED(prelude_sharing)

static const unsigned char prelude_spies_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/spies.lua"
};
EMBEDDED(prelude_spies)

static const unsigned char prelude_test_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/test.lua"
};
EMBEDDED(prelude_test)

static const unsigned char prelude_test_view_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/test_view.lua"
};
EMBEDDED(prelude_test_view)

static const unsigned char prelude_ui_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/ui.lua"
};
EMBEDDED(prelude_ui)

static const unsigned char prelude_vocabulary_bytes[] = {
#embed "../../ScriptedStore/Scripting/Prelude/vocabulary.lua"
};
EMBEDDED(prelude_vocabulary)
