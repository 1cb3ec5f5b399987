-- The words that `assert.…` and `match.…` are made of.
--
-- A word is a modifier ("is", "not"), an assertion ("equal") or a matcher ("table"). Words follow each other after dots
-- or underscores, in any case: `assert.is_not.nil`, `assert.Is.Not_Nil`. A word may itself hold underscores
-- ("called_with"): the longest that fits is taken.

local native = ...

local modifiers, assertions, matchers = {}, {}, {}
local kinds = { modifier = modifiers, assertion = assertions, matcher = matchers }

-- Counts the changes, so that phrases that were understood before are read again.
local age = 0

local function fail(message, ...) error(native.here() .. ": " .. message:format(...), 0) end

local function wordsOf(kind)
  local words = kinds[kind]
  if not words then fail("there is no kind of word '%s', only assertion, matcher and modifier", tostring(kind)) end
  return words
end

-- Where a phrase keeps what it is: no word can be one of these.
local TEXT, STATE, MEANING = {}, {}, {}

local vocabulary = {}

--- Adds a word. `positive` and `negative` make the message of an assertion that fails without and with "not": keys of
--- `say`, or functions of the arguments.
function vocabulary.register(kind, name, callback, positive, negative)
  local words = wordsOf(kind)
  if type(name) ~= "string" then fail("the name of a word must be a string, not a %s", type(name)) end
  name = name:lower()
  words[name] = { name = name, callback = callback, positive = positive, negative = negative }
  age = age + 1
end

function vocabulary.unregister(kind, name)
  wordsOf(kind)[name:lower()] = nil
  age = age + 1
end

-- The longest word that begins at `first`: its entry, whether it is a modifier, and where it ends.
local function longest(tokens, first, words)
  for last = #tokens, first, -1 do
    local name = table.concat(tokens, "_", first, last)
    if words[name] then return words[name], false, last end
    if modifiers[name] then return modifiers[name], true, last end
  end
end

local function read(text, words)
  local tokens = {}
  for token in text:lower():gmatch("[^_]+") do tokens[#tokens + 1] = token end
  local phrase, first = { age = age, modifiers = {} }, 1
  while first <= #tokens do
    local entry, isModifier, last = longest(tokens, first, words)
    if not entry then return nil end
    if isModifier then table.insert(phrase.modifiers, entry) else phrase.word = entry end
    first = last + 1
  end
  return phrase
end

--- A tree of phrases: indexing it with words gives longer phrases, calling one calls `perform(state, phrase, …)`. A
--- phrase has `modifiers` and, unless it is made of these alone, `word`. `start()` makes the state that it begins with.
function vocabulary.phrases(subject, kind, start, perform)
  local words = wordsOf(kind)
  local Phrase = {}

  -- A phrase that goes on from a state that a modifier with arguments made.
  local function phraseFrom(text, state) return setmetatable({ [TEXT] = text, [STATE] = state }, Phrase) end

  -- Kept in its parent, because the same few phrases are used all the time; but not where there is a state to forget.
  function Phrase.__index(parent, word)
    if type(word) ~= "string" then return nil end
    local text, state = parent[TEXT], parent[STATE]
    local longer = text == "" and word or text .. "_" .. word
    local child = phraseFrom(longer, state)
    if not state then rawset(parent, word, child) end
    return child
  end

  Phrase.__call = native.entry(function(phrase, ...)
    local meaning = phrase[MEANING]
    if not meaning or meaning.age ~= age then
      meaning = read(phrase[TEXT], words)
      if not meaning then fail("'%s' has no '%s'", subject, phrase[TEXT]) end
      phrase[MEANING] = meaning
    end
    local state = start(phrase[STATE])
    local count = #meaning.modifiers
    -- The last modifier of a phrase without another word gets the arguments: `assert.spy(s)`.
    local plain = meaning.word and count or count - 1
    for i = 1, plain do meaning.modifiers[i].callback(state, { n = 0 }) end
    if meaning.word then return perform(state, meaning.word, ...) end
    if count > 0 then meaning.modifiers[count].callback(state, table.pack(...)) end
    return phraseFrom("", state)
  end)

  return phraseFrom("", nil)
end

return vocabulary
