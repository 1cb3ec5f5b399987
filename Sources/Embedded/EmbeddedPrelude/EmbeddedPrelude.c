#include "EmbeddedPrelude.h"

#include "../embedded_files.h"

static const struct embedded_file files[] = {
    {"assertions", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/assertions.lua" suffix(, 0)
    }},
    {"blocks", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/blocks.lua" suffix(, 0)
    }},
    {"busted", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/busted.lua" suffix(, 0)
    }},
    {"checks", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/checks.lua" suffix(, 0)
    }},
    {"clock", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/clock.lua" suffix(, 0)
    }},
    {"compare", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/compare.lua" suffix(, 0)
    }},
    {"doubles", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/doubles.lua" suffix(, 0)
    }},
    {"effect", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/effect.lua" suffix(, 0)
    }},
    {"features", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/features.lua" suffix(, 0)
    }},
    {"keeper", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/keeper.lua" suffix(, 0)
    }},
    {"lines", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/lines.lua" suffix(, 0)
    }},
    {"list", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/list.lua" suffix(, 0)
    }},
    {"luassert", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/luassert.lua" suffix(, 0)
    }},
    {"luassert_texts", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/luassert_texts.lua" suffix(, 0)
    }},
    {"match", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/match.lua" suffix(, 0)
    }},
    {"operators", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/operators.lua" suffix(, 0)
    }},
    {"plain", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/plain.lua" suffix(, 0)
    }},
    {"prelude", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/prelude.lua" suffix(, 0)
    }},
    {"reducers", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/reducers.lua" suffix(, 0)
    }},
    {"scripted", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/scripted.lua" suffix(, 0)
    }},
    {"sharing", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/sharing.lua" suffix(, 0)
    }},
    {"spies", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/spies.lua" suffix(, 0)
    }},
    {"statements", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/statements.lua" suffix(, 0)
    }},
    {"test", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/test.lua" suffix(, 0)
    }},
    {"test_shared", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/test_shared.lua" suffix(, 0)
    }},
    {"test_store", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/test_store.lua" suffix(, 0)
    }},
    {"test_view", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/test_view.lua" suffix(, 0)
    }},
    {"ui", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/ui.lua" suffix(, 0)
    }},
    {"vocabulary", (const unsigned char[]){
#embed "../../ScriptedStore/Scripting/Prelude/vocabulary.lua" suffix(, 0)
    }},
    {NULL, NULL},
};

const unsigned char *prelude_chunk(const char *name) { return embedded_file(files, name); }
