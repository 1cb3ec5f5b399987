import LuaBridge
import Testing

/// What broke out of other hosts of Lua, or brought them down, tried here: each ends as it says, and the VM goes on.
@Suite struct EscapeTests {
  @Test(
    arguments: [
      // Redis: CVE-2022-0543, the package library that a packager left in; CVE-2015-4335 and 8080, bytecode.
      (
        "package.loadlib",
        "raises(\"global 'package' is not available\", function() return package.loadlib end)"
      ),
      (
        "a library's registry",
        "same(rawget(_ENV, 'package'), nil) same(rawget(_ENV, '_LOADED'), nil)"
      ),
      ("bytecode by load", "same(load('\\27LuaS\\0\\x19\\x93\\r\\n\\x1a\\n'), nil)"),
      (
        "bytecode in pieces",
        "local n = 0 same(load(function() n = n + 1 return n == 1 and '\\27L' or 'ua' end), nil)"
      ),
      (
        "bytecode by a mode",
        "same(load('\\27Lua', 'x', 'b'), nil) same(load('\\27Lua', 'x', 'bt'), nil)"
      ),
      ("string.dump", "same(string.dump, nil) same((''):len(), 0) same((('').dump), nil)"),
      // Redis: CVE-2018-11218 and CVE-2025-46817, numbers of unpack that overflow; struct.unpack, CVE-2018-11219.
      ("unpack, too many", "raises('too many results', table.unpack, {}, 1, 1e7)"),
      (
        "unpack, overflow",
        "raises('too many results', table.unpack, {}, math.mininteger, math.maxinteger)"
      ),
      (
        "unpack, wrap",
        "raises('too many results', table.unpack, {}, math.maxinteger - 1 << 1, math.maxinteger)"
      ),
      (
        "string.unpack of a length",
        "raises('data string too short', string.unpack, 's8', ('\\xff'):rep(7) .. '\\x7f')"
      ),
      ("string.unpack behind the end", "raises('out of string', string.unpack, 'i4', 'abcd', 100)"),
      (
        "string.unpack before the start", "same(string.unpack('i4', 'abcd', -100), 0x64636261)"
      ),
      ("string.pack, alignment", "raises('not power of 2', string.pack, '!16 !3 i3', 1)"),
      (
        "string.packsize, overflow",
        "raises('too large', string.packsize, ('c1147483640'):rep(2, ' '))"
      ),
      // Redis: CVE-2022-24735 and CVE-2025-46818, functions and metatables that all scripts share.
      (
        "string's metatable",
        "same(getmetatable(''), false) raises('table expected', setmetatable, '', {})"
      ),
      (
        "metatables of basic types",
        "for _, v in ipairs { 1, true, print } do same(getmetatable(v), nil) end"
      ),
      ("a method of strings", "string.len = function() return 7 end same(('x'):len(), 1)"),
      ("a library's metatable", "same(getmetatable(string), nil) same(getmetatable(math), nil)"),
      (
        "the globals' metatable",
        "same(getmetatable(_ENV), false) raises('protected', setmetatable, _ENV, nil)"
      ),
      // Redis: CVE-2022-24736 and CVE-2021-32626, handlers and deep nesting; CVE-2025-46819, long brackets.
      (
        "xpcall with no handler",
        "raises('function expected', xpcall, print) raises('function expected', xpcall, error, nil)"
      ),
      ("xpcall of itself", "local ok = xpcall(xpcall, xpcall, xpcall) same(ok, false)"),
      ("handlers that raise", "local f f = function() error(f) end same(xpcall(error, f), false)"),
      ("a text of brackets", "same(load('return ' .. ('('):rep(1e5) .. '1'), nil)"),
      ("a text of tables", "same(load('return ' .. ('{'):rep(1e5)), nil)"),
      ("a text of functions", "same(load(('return function() '):rep(1e4)), nil)"),
      (
        "a text of operators",
        "same(load('return ' .. ('-'):rep(1e5, ' ') .. '1'), nil) same(load('return ' .. ('1^'):rep(1e5) .. '1'), nil)"
      ),
      ("a text of dots", "same(load('return ' .. ('\\'\\'..'):rep(1e5) .. '1'), nil)"),
      (
        "a long bracket without end",
        "same(load('return [' .. ('='):rep(1e5)), nil) same(load('--[' .. ('='):rep(1e5) .. '[x'), nil)"
      ),
      ("a chunk's name that goes", "for i = 1, 50 do load('x =', '@' .. ('n'):rep(i * 100)) end"),
      ("too many locals", "same(load('local ' .. ('a,'):rep(300) .. 'b'), nil)"),
      (
        "too many upvalues",
        "local t = {} for i = 1, 300 do t[i] = 'v' .. i end same(load('local ' .. table.concat(t, ',', 1, 150) .. ' local ' .. table.concat(t, ',', 151, 300)), nil)"
      ),
      // World of Warcraft: environments of functions, formats that crash, loadstring.
      (
        "setfenv and getfenv",
        "same(rawget(_ENV, 'setfenv'), nil) same(rawget(_ENV, 'getfenv'), nil) same(rawget(_ENV, 'newproxy'), nil)"
      ),
      (
        "a format's width",
        "raises('invalid', string.format, '%99999d', 1) raises('invalid', string.format, '%.999f', 1)"
      ),
      ("a format's flags", "raises('invalid', string.format, '%' .. ('#'):rep(100) .. 'x', 1)"),
      ("a format that writes", "raises('invalid conversion', string.format, '%n', 1)"),
      (
        "an address", "raises('%p', string.format, '%p', {}) assert(not tostring(print):find('0x'))"
      ),
      ("loadstring", "raises('not available', function() return loadstring end)"),
      // Neovim and OpenResty: debug, io, os, ffi, and what leads to them.
      ("debug", "raises('not available', function() return debug.getregistry end)"),
      ("io", "raises('not available', function() return io.popen end)"),
      (
        "os",
        "for _, n in ipairs { 'execute', 'exit', 'getenv', 'remove', 'rename', 'tmpname', 'setlocale' } do same(os[n], nil) end"
      ),
      (
        "dofile and loadfile",
        "raises('not available', function() return dofile end) raises('not available', function() return loadfile end)"
      ),
      (
        "ffi and jit",
        "same(rawget(_ENV, 'ffi'), nil) same(rawget(_ENV, 'jit'), nil) same(rawget(_ENV, 'bit'), nil)"
      ),
      // mlua, Luau: finalisers, coroutines that outlive a stop, hooks.
      ("a finaliser", "raises('__gc', setmetatable, {}, { __gc = function() end })"),
      ("coroutines", "raises('not available', function() return coroutine.wrap end)"),
      (
        "a weak table",
        "raises('weak tables', setmetatable, {}, { __mode = 'kv' }) same(getmetatable(setmetatable({}, {})).__mode, nil)"
      ),
      (
        "_ENV of one's own",
        "local _ENV = { error = error } same = nil if string or io then error('reached') end"
      ),
      ("load's globals", "same(load('return string, io, _ENV', 'x', 't', {})(), nil)"),
      // Lua's own: CVE-2022-28805, a constant _ENV; constants beyond what an instruction has room for.
      (
        "a constant _ENV",
        "for _, v in ipairs { '1', '{}', 'nil', \"'x'\" } do pcall(load('local _ENV <const> = ' .. v .. "
          + "' x = 2 return function() y = x z = z.y.x() end')) end"
      ),
      (
        "many constants",
        "local parts = {} for i = 1, 5000 do parts[i] = ('x = %d.5 & 0 == 0 and %d | x or \"k%d\"'):format(i, i, i) end "
          + "local f = load('local x ' .. table.concat(parts, '\\n') .. ' return x') same(type(f), 'function') pcall(f)"
      ),
      (
        "bits with constants",
        "local t = {} for i = 1, 600 do t[i] = \"'f\" .. i .. \"'\" end "
          + "local f = load('local v, w = ... local t = {' .. table.concat(t, ',') .. '} return v & 0x7fffffffffff, w & v, v | 0x10000, v ~ 0xfffffffff') "
          + "local a, b, c, d = f(0x123456789, 0x7fffffffffff) same(a, b) same(c, 0x123456789 | 0x10000) same(d, 0x123456789 ~ 0xfffffffff)"
      ),
      // Redis: CVE-2024-31449, bit operations; CVE-2024-46981 and CVE-2025-49844, collection while a chunk's name or text is in use.
      (
        "shifts",
        "for i = -70, 70 do assert((1 << i) == (1 >> -i)) end same(1 << 64, 0) same(-1 >> math.mininteger, 0)"
      ),
      (
        "a text that is made while it is compiled",
        "for i = 1, 200 do local n = 0 load(function() n = n + 1 local t = {} for j = 1, 50 do t[j] = { j .. 'x' } end "
          + "return n < 20 and 'local a' .. n .. ' = \"' .. ('s'):rep(50) .. n .. '\" ' or nil end, '=' .. ('c'):rep(200)) end"
      ),
      (
        "an iterator of another table",
        "local f, t = pairs({ a = 1 }) raises(\"invalid key\", f, {}, 'a') same(f({}, nil), nil)"
      ),
      (
        "library functions as metamethods",
        "local t = setmetatable({}, { __index = rawget, __newindex = rawset, __call = select, __tostring = type }) "
          + "t.x = 1 same(t.x, 1) same(t.y, nil) pcall(t, 2) same(tostring(t), 'table')"
      ),
      (
        "a __close that is no function any more",
        "local m = { __close = function() end } pcall(function() local x <close> = setmetatable({}, m) m.__close = 5 end)"
      ),
      ("a million results", "same(select('#', table.unpack({}, 1, 900000)), 900000)"),
      (
        "captures without end",
        "raises('too many captures', string.find, 'x', ('()'):rep(33))"
      ),
      // gopher-lua and all others: numbers at the edges.
      (
        "a loop at the end of integers",
        "local n = 0 for i = math.maxinteger - 1, math.maxinteger do n = n + 1 end same(n, 2)"
      ),
      ("a step of 0", "raises(\"'for' step is zero\", function() for i = 1, 2, 0 do end end)"),
      (
        "division",
        "raises('divide by zero', function() return 1 // 0 end) raises(\"'n%\", function() return 1 % 0 end)"
      ),
      (
        "the smallest integer",
        "same(math.mininteger // -1, math.mininteger) same(math.mininteger % -1, 0)"
      ),
      (
        "select",
        "raises('out of range', select, -2, 1) same(select('#', select(math.maxinteger, 1)), 0)"
      ),
      (
        "indices of strings",
        "same(('x'):sub(math.mininteger, math.maxinteger), 'x') same(('x'):byte(math.maxinteger), nil)"
      ),
      ("next of nothing", "raises(\"invalid key to 'next'\", next, {}, 'nowhere')"),
      (
        "an order that is none",
        "pcall(table.sort, { 3, 1, 2, 5, 4, 7, 6, 9, 8, 3, 1, 2 }, function() return true end)"
      ),
      (
        "a table that changes while it is sorted",
        "local t = {} for i = 1, 100 do t[i] = i end pcall(table.sort, t, function(a, b) t[a] = nil return a < b end)"
      ),
      (
        "a table that changes while it is walked",
        "local t = { a = 1, b = 2 } pcall(function() for k in pairs(t) do t[k .. 'x'] = 1 t[k] = nil end end)"
      ),
      (
        "a chain of __index",
        "local t = {} for i = 1, 3000 do t = setmetatable({}, { __index = t }) end raises('loop', function() return t.x end)"
      ),
      (
        "__index of itself",
        "local t = {} setmetatable(t, { __index = t }) raises('loop', function() return t.x end)"
      ),
      (
        "__newindex of itself",
        "local t = {} setmetatable(t, { __newindex = t }) raises('loop', function() t.x = 1 end)"
      ),
      (
        "__concat, __eq and __lt that recurse",
        "local m = {} local t = setmetatable({}, m) m.__concat = function(a, b) return a .. b end raises('stack overflow', function() return t .. 1 end)"
      ),
      (
        "__tostring that is none",
        "raises('must return a string', tostring, setmetatable({}, { __tostring = function() return {} end }))"
      ),
      ("__name of no text", "assert(tostring(setmetatable({}, { __name = 5 })):find('table: '))"),
      ("__close of what has none", "raises('non-closable', function() local x <close> = {} end)"),
      (
        "utf8 at the edges",
        "raises('', utf8.codepoint, '\\xff') raises('out of bounds', utf8.offset, 'x', 1, 100) raises('value out of range', utf8.char, -1)"
      ),
    ] as [(String, String)])
  func whatBrokeOtherHostsDoesNothingHere(what: String, source: String) throws {
    let script = try SandboxScript()
    try script.lua.setLimits(
      LuaLimits(time: .seconds(20), memory: 64 << 20, stringLength: 8 << 20, weakTables: false))
    try script.run(source)
    #expect(try script.run("return 1 + 1").first?.integer == 2)
  }
}
