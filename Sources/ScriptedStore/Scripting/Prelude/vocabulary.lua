-- The words of the phrases `assert.…` and `match.…`.
--
-- 1. A word is a modifier ("is", "not"), an assertion ("equal") or a matcher ("table").
-- 2. Words are joined by dots or underscores, and their case is ignored: `assert.is_not.nil` is
--    `assert.Is.Not_Nil`.
-- 3. A word may contain underscores ("called_with"): the longest word that fits is taken.
-- 4. A phrase caches its meaning with the `age` at which it was read. Each change of the words
--    increases `age`, so that the phrase is read again.

local native, need = ...
local fail = need("lines").fail

local modifiers, assertions, matchers = {}, {}, {}
local kinds = { modifier = modifiers, assertion = assertions, matcher = matchers }

-- The number of changes so far; see 4.
local age = 0

local function wordsOf(kind)
  local words = kinds[kind]
  if not words then fail("there is no kind of word '%s', only assertion, matcher and modifier", tostring(kind)) end
  return words
end

-- The private keys of a phrase. They are tables, so they differ from every word.
local TEXT, STATE, MEANING = {}, {}, {}

local vocabulary = {}

--- The callback of a modifier that only makes a phrase read well, such as "is".
function vocabulary.filler(state) return state end

--- Adds a word. `positive` and `negative` are the messages of an assertion that fails without and
--- with "not". Each is a key of `say` or a function that returns the message.
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

-- Finds the longest word that begins at token `first`. Returns its entry, whether it is a modifier,
-- and the index of its last token.
local function longest(tokens, first, words)
  for last = #tokens, first, -1 do
    local name = table.concat(tokens, "_", first, last)
    if words[name] then return words[name], false, last end
    if modifiers[name] then return modifiers[name], true, last end
  end
end

-- Returns the meaning of a phrase or, if it has an unknown word, nil, its tokens, and where in them that word begins.
local function read(text, words)
  local tokens = {}
  for token in text:lower():gmatch("[^_]+") do tokens[#tokens + 1] = token end
  local phrase, first = { age = age, modifiers = {} }, 1
  while first <= #tokens do
    local entry, isModifier, last = longest(tokens, first, words)
    if not entry then return nil, tokens, first end
    if not isModifier then
      phrase.word = entry
    elseif entry.callback ~= vocabulary.filler then
      table.insert(phrase.modifiers, entry)
    end
    first = last + 1
  end
  return phrase
end

-- Returns the end of a message about a phrase that cannot be read: the phrase with its first
-- unknown word, at token `first`, corrected, or nothing if no word is near.
local function suggestion(tokens, first, words)
  local names = {}
  for name in pairs(words) do names[#names + 1] = name end
  for name in pairs(modifiers) do names[#names + 1] = name end
  -- A known name may have several words, so longer parts of the phrase are tried first.
  for last = #tokens, first, -1 do
    local nearest = native.nearest(table.concat(tokens, "_", first, last), names)
    if nearest then
      local corrected = table.move(tokens, 1, first - 1, 1, {})
      corrected[first] = nearest
      table.move(tokens, last + 1, #tokens, first + 1, corrected)
      return ("; did you mean '%s'?"):format(table.concat(corrected, "_"))
    end
  end
  return ""
end

--- Returns the root of a tree of phrases. Indexing a phrase with a word gives a longer phrase.
--- Calling a phrase runs its modifiers on the state that `start(state)` returns, and then calls
--- `perform(state, word, …)`. A phrase that consists of modifiers alone returns a new root, which
--- carries the state.
function vocabulary.phrases(subject, kind, start, perform)
  local words = wordsOf(kind)
  local Phrase = {}

  -- A modifier that took arguments, as in `assert.spy(s)`, has made the `state`; else it is nil.
  local function phraseFrom(text, state) return setmetatable({ [TEXT] = text, [STATE] = state }, Phrase) end

  -- The parent caches the child, because a test uses the same few phrases often. A phrase with a
  -- state is not cached, because the cache would retain the state.
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
      local tokens, first
      meaning, tokens, first = read(phrase[TEXT], words)
      if not meaning then fail("'%s' has no '%s'%s", subject, phrase[TEXT], suggestion(tokens, first, words)) end
      phrase[MEANING] = meaning
    end
    local state = start(phrase[STATE])
    local count = #meaning.modifiers
    -- If the phrase has no assertion or matcher, its last modifier gets the arguments:
    -- `assert.spy(s)`.
    local plain = meaning.word and count or count - 1
    for i = 1, plain do meaning.modifiers[i].callback(state, { n = 0 }) end
    if meaning.word then return perform(state, meaning.word, ...) end
    if count > 0 then meaning.modifiers[count].callback(state, table.pack(...)) end
    return phraseFrom("", state)
  end)

  return phraseFrom("", nil)
end

return vocabulary
