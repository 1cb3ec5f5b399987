# On a new Debian machine with a Swift toolchain, `make run` and `make test` work without other preparation.
.DEFAULT_GOAL := run

SWIFT ?= swift
LINT_SWIFT = Package.swift Sources Plugins Tests $(wildcard Benchmarks/Package.swift Benchmarks/Sources) \
  $(wildcard Fuzz/Package.swift Fuzz/Sources Examples/*/Package.swift Examples/*/Sources Examples/*/Tests)

# Release builds. On Linux the Swift runtime, Lua, SQLite, zlib and the C++ library are linked statically, from .build/archives, so that
# the program needs only the C library (2.36 or later) and starts sooner. A section for each function lets the linker leave out what
# nobody calls. docs/decisions/0043 has the figures. On macOS the libraries are a part of the system.
RELEASE = $(BUILD) -c release
ifeq ($(shell uname -s),Linux)
ARCHIVES = $(CURDIR)/.build/archives
RELEASE = PKG_CONFIG_PATH=$(ARCHIVES):$$PKG_CONFIG_PATH $(BUILD) -c release --static-swift-stdlib \
  -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xcc -fdata-sections \
  -Xswiftc -use-ld=lld -Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker --no-export-dynamic \
  -Xlinker -z -Xlinker pack-relative-relocs
# ICU's data are left out of the runner (Sources/Embedded/EmptyICU).
WITHOUT_ICU_DATA = $(patsubst %,-Xlinker --defsym=%=empty_icu_data,$(shell cat $(ARCHIVES)/icu))
endif

# `swift build` and `swift test` need the same flags; otherwise everything is built twice.
STRICT = -Xswiftc -warnings-as-errors

# SwiftPM passes one flag for each trait, in the order of hash values, which differ from process to process; when the order
# changes, it builds the package again. Only for builds: tests must not depend on the order of a set.
BUILD = SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) build
TEST = .ci/tests $(SWIFT) test --skip-build

C_WARNINGS = -std=gnu11 -fsyntax-only -Wall -Wextra -Wno-unused-parameter -Werror -I Sources/CLua/include -I Sources/CLua

# UndefinedBehaviorSanitizer for C; Swift has none on Linux. Left out: the check of function types, which functions of
# Swift do not carry, and a check that needs the C++ runtime.
UBSAN = -Xcc -fsanitize=undefined -Xcc -fno-sanitize=function,vptr -Xcc -fno-sanitize-recover=all

# With leaks. XCTest itself leaks, and Swift Testing does not need it.
ASAN = --disable-xctest --sanitize=address $(UBSAN) --scratch-path .build-asan
ASAN_RUN = ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
LSAN_RUN = LSAN_OPTIONS=print_suppressions=0:suppressions=$(CURDIR)/.ci/lsan-suppressions
# One test forks, and the child process starts a thread.
TSAN_RUN = TSAN_OPTIONS=die_after_fork=0:suppressions=$(CURDIR)/.ci/tsan-suppressions
TSAN = --disable-xctest --sanitize=thread --scratch-path .build-tsan

# Swift Testing starts all tests at once on one thread per processor. With 1,800 tests, an HTTP request of a late test would
# run into its own timeout before it gets a thread.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4

# LUA=5.4.8: another Lua, which is loaded instead of the system's (Linux).
LUA =
ifneq ($(LUA),)
OTHER_LUA = LD_LIBRARY_PATH=$(CURDIR)/.lua/$(LUA)/lib
endif

.PHONY: setup setup-tests build archives install dist run demo test docs docs-api docs-guide test-browser screenshot examples generated test-lua other-lua test-scripts lint bench soak sanitize sanitize-address sanitize-thread \
  sanitize-bridge fuzz clean

## setup: install the system's Lua, zlib, SQLite and pkg-config if they are missing
setup:
	@.ci/install lua zlib sqlite

setup-tests:
	@.ci/install lua zlib sqlite lint busted

PREFIX = /usr/local
BIN = $(DESTDIR)$(PREFIX)/bin
SHARE = $(DESTDIR)$(PREFIX)/share

## build: the runner with all that it has, in release mode
build: setup archives
	@echo "Building the runner (release): ten minutes at first"
	@SCRIPTED_STORE_COMMIT=$$(git describe --always --dirty --abbrev=8 2>/dev/null) $(RELEASE) --product runner $(WITHOUT_ICU_DATA)

archives:
	@.ci/archives

## install: the runner, its completions for bash, zsh and fish, the types for editors and the licences of what it is made of, below
## PREFIX=/usr/local (and DESTDIR)
install: build
	@echo "Installing below $(DESTDIR)$(PREFIX)"
	@install -d $(BIN) $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d \
	  $(SHARE)/runner/types $(SHARE)/doc/runner
	@install .build/release/runner $(BIN)/runner
	@strip $(BIN)/runner
	@$(BIN)/runner --generate-completion-script bash > $(SHARE)/bash-completion/completions/runner
	@$(BIN)/runner --generate-completion-script zsh > $(SHARE)/zsh/site-functions/_runner
	@$(BIN)/runner --generate-completion-script fish > $(SHARE)/fish/vendor_completions.d/runner.fish
	@install -m 644 scripts/types/*.lua $(SHARE)/runner/types
	@.ci/licences > $(SHARE)/doc/runner/copyright

## dist: .build/dist/runner-VERSION-linux-ARCH.tar.xz and a .deb, tried where there is neither Swift nor Lua (Debian)
dist:
	@.ci/dist

## docs: the documentation as a site in .build/docs, which needs no network; broken links are errors. To search in it, serve it:
## python3 -m http.server --directory .build/docs/pages
docs: docs-guide docs-api

# The guide and the references, by MkDocs, which is put into .build. With --quiet it would not see warnings, and so pass.
MKDOCS = PYTHONPATH=.build/mkdocs python3 -W ignore -m mkdocs

.build/mkdocs/bin/mkdocs:
	@.ci/install pip
	@echo "Installing MkDocs into .build/mkdocs"
	@python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-warn-conflicts \
	  --target .build/mkdocs 'mkdocs==1.6.1'

docs-guide: .build/mkdocs/bin/mkdocs
	@echo "Rendering the documentation into .build/docs/pages"
	@$(MKDOCS) build --strict 2> .build/mkdocs.log || { cat .build/mkdocs.log >&2; exit 1; }

# The Swift API, of the modules that the tests are built of.
docs-api:
	@$(BUILD) --build-tests $(STRICT)
	@.ci/docs-api

## run: a first session with the Todos example, by a runner without server, databases and HTTP client, which builds in two minutes
# The flags and the folder are those of `make test`, which so goes on where this ends.
run: setup
	@echo "Building the runner (debug, without server, databases and HTTP client): two minutes at first, seconds after a change"
	@$(BUILD) --product runner-core $(STRICT)
	@echo
	@echo "Three actions, and what each of them changes in the state of scripts/todos.lua:"
	@echo
	@.build/debug/runner-core run todos --actions $(SESSION) --clock virtual --format text
	@echo
	@echo "The screen after them:"
	@echo
	@.build/debug/runner-core show todos --actions $(SESSION) --clock virtual --format text
	@echo
	@echo "Next:  make demo                             the same in a browser, changed while it runs"
	@echo "       .build/debug/runner-core new tally    a feature of your own, with its test"
	@echo "       make install                          the whole runner, for all folders"

SESSION = scripts/examples/first_session.jsonl

DEMO = {"nextId": 4, "todos": [{"id": 1, "description": "Milk", "isComplete": false}, \
  {"id": 2, "description": "Call Blob", "isComplete": false}, {"id": 3, "description": "Bread", "isComplete": true}]}

## demo: the Todos example in the browser, at the address that is printed; Ctrl-C ends it
demo: setup
	@echo "Building the runner (debug): some minutes at first"
	@$(BUILD) --product runner $(STRICT)
	@.build/debug/runner serve todos --port 0 --state '$(DEMO)'

## test: all that must pass
test: setup-tests
	@echo "Building; warnings are errors"
	@$(BUILD) --build-tests $(STRICT)
	@echo "Testing"
	@$(TEST) $(STRICT) --disable-xctest
	@$(MAKE) --no-print-directory test-scripts lint

other-lua:
	@$(if $(LUA),.ci/install pip && .ci/lua $(LUA))

## test-lua: the tests against another Lua than the system's: LUA=5.4.8, or another that .ci/lua knows (Linux); with
## TESTS='^LuaBridgeTests' only those
test-lua: setup-tests other-lua
	@test -n "$(LUA)" || { echo "Please say which Lua, as in: make test-lua LUA=5.4.8" >&2; exit 1; }
	@clang $(C_WARNINGS) -I .lua/$(LUA)/include Sources/CLua/*/*.c
	@$(BUILD) --build-tests $(STRICT)
	@$(OTHER_LUA) ldd .build/debug/*.xctest .build/debug/runner | grep -q '$(CURDIR)/.lua/$(LUA)/'
	@echo "Testing with Lua $(LUA)"
	@$(OTHER_LUA) $(TEST) $(STRICT) --disable-xctest $(if $(TESTS),--filter '$(TESTS)')
	@$(OTHER_LUA) CI=true .build/debug/runner test

## test-scripts: the tests of the example scripts, in Lua
test-scripts:
	@echo "Testing the scripts"
	@$(BUILD) --product runner $(STRICT)
	@CI=true .build/debug/runner test

## examples: builds the packages in Examples, with the plug-in that makes types of their scripts, and runs their tests
examples:
	@.ci/install lua
	@echo "Testing the examples"
	@for package in Dungeon Server; do \
	  $(BUILD) $(IN_EXAMPLES)/$$package --build-tests && \
	  $(TEST) $(IN_EXAMPLES)/$$package --disable-xctest || exit 1; \
	done

# One folder for all, so that the library is built once.
IN_EXAMPLES = --scratch-path Examples/.build --package-path Examples

GENERATED = Tests/ScriptTypesTests/Generated
CASE_STUDIES = counter $(addprefix case_studies.,two_counters optional_state multiple_destinations recursion navigation_stack)

## generated: the Swift types of the examples that tests compile, made anew
generated:
	@$(BUILD) --product runner $(STRICT)
	@.build/debug/runner swift todos --output $(GENERATED)/Todos.swift
	@.build/debug/runner swift sync_ups --output $(GENERATED)/SyncUps.swift
	@.build/debug/runner swift tic_tac_toe --output $(GENERATED)/TicTacToe.swift
	@.build/debug/runner swift voice_memos --output $(GENERATED)/VoiceMemos.swift
	@.build/debug/runner swift $(CASE_STUDIES) --access public --output $(GENERATED)/CaseStudies.swift

BROWSER_RUNNER = .build/release/runner

.build/release/runner: build

## test-browser: the page of `runner serve` in Chromium, and what it costs there; BROWSER_RUNNER=.build/debug/runner takes one
## that is built already
test-browser: $(BROWSER_RUNNER)
	@.ci/install chromium
	@echo "Testing in Chromium"
	@RUNNER=$(BROWSER_RUNNER) Tests/Browser/run

## screenshot: docs/images/todos.png, made of what test-browser has built
screenshot:
	@RUNNER=.build/release/runner Tests/Browser/screenshot

## lint: the format of the Swift files, luacheck and runner check over the scripts, warnings of the C compiler, and which folders of
## the library use which
lint: setup-tests
	@echo "Linting"
	@$(SWIFT) format lint --strict --parallel --recursive $(LINT_SWIFT)
	@luacheck --quiet --no-cache scripts Examples/*/Sources Examples/*/scripts docs/tutorial Sources Benchmarks/Scripts Fuzz/Scripts
	@$(BUILD) --product runner $(STRICT)
	@.build/debug/runner check --strict
	@.ci/rooms
	@clang $(C_WARNINGS) $$(pkg-config --cflags lua5.4) Sources/CLua/*/*.c

## bench: ratios against floors measured in the same run; options in BENCH, as BENCH="--quick"
bench: build
	@echo "Building the benchmarks (release)"
	@$(RELEASE) --package-path Benchmarks
	@Benchmarks/.build/release/Benchmarks --runner .build/release/runner $(BENCH)

## soak: a million effects, started, cancelled and finished at random from four threads (six thousand in `make test`); each
## allocation of the examples' sessions fails once (each 31st in `make test`); a runner that stores values, and the owner of a
## journal under load, are killed 1,000 times (50), and its disk loses its power as often; 333 deploys are killed (16), and 100,000
## stores come and go with memory for 1,000 (2,000); each call of the system that a save makes fails once (each 19th); threads
## move shared values about for a minute; 100,000 random actions on a screen and 10,000 gestures on each example (250 and 60);
## 100 sessions of each example are recorded and replayed (2); each 23rd byte of a journal is flipped (251st)
soak: setup
	@echo "Soaking"
	@$(BUILD) --build-tests $(STRICT)
	@SOAK_EFFECTS=1000000 SWEEP_STEP=1 SOAK_KILLS=1000 SOAK_STORES=100000 SOAK_SECONDS=60 SOAK_VIEWS=100000 SOAK_SESSIONS=100 FLIP_STEP=23 $(TEST) $(STRICT) --disable-xctest \
	  --filter 'SoakTests|SessionAllocationTests|RunnerTests.KillTests|JournalKillTests|JournalPowerTests|JournalDiskTests|JournalDeployTests|JournalChurnTests|FailingCallTests|SharedThreadsTests|SharedDatabaseTests|ViewPropertyTests|ExampleViewTests|RandomSessionTests|JournalFlipTests'

## sanitize: all tests, in release mode, under AddressSanitizer (with leaks and C's undefined behaviour) and ThreadSanitizer
sanitize: sanitize-address sanitize-thread

sanitize-address: setup
	@echo "Testing under AddressSanitizer (release)"
	@$(ASAN_RUN) $(LSAN_RUN) $(SWIFT) test -c release $(ASAN)

sanitize-thread: setup
	@echo "Testing under ThreadSanitizer (release)"
	@$(TSAN_RUN) $(SWIFT) test -c release $(TSAN)

## sanitize-bridge: the part that CI runs, the tests of what touches Lua's memory or counts references by hand, in debug mode
sanitize-bridge: setup
	@echo "Testing values and the bridge under AddressSanitizer"
	@$(ASAN_RUN) SCRIPTED_STORE_BRIDGE_ONLY=1 $(SWIFT) test $(ASAN)

# The linker gold cannot link the coverage sections of Swift. SCRIPTED_STORE_CHECKS compiles the functions `checkInvariants()` and
# calls them after each action (CONTRIBUTING.md).
FUZZ = json paths values drafts effects scripts patterns recordings views
FUZZ_MODE = release
FUZZ_FLAGS = -c $(FUZZ_MODE) --package-path Fuzz -Xswiftc -sanitize=fuzzer -Xswiftc -use-ld=lld -Xcc -fsanitize=fuzzer-no-link \
  -Xswiftc -DSCRIPTED_STORE_CHECKS
SECONDS = 60

## fuzz: looks for inputs that crash, SECONDS=60 for each of FUZZ="json paths …" (Linux), one target on each processor, with the
## system's Lua or LUA=5.4.8; what it finds is in Fuzz/.found. FUZZ_MODE=debug builds sooner, and tries a third of the inputs
fuzz: setup other-lua
	@echo "Building the fuzzer ($(FUZZ_MODE))"
	@$(BUILD) $(FUZZ_FLAGS)
	@echo "Fuzzing for $(SECONDS) s each"
	@printf '%s\n' $(FUZZ) | $(OTHER_LUA) FUZZ_MODE=$(FUZZ_MODE) xargs -P $$(getconf _NPROCESSORS_ONLN) -I TARGET .ci/fuzz TARGET $(SECONDS)

clean:
	@rm -rf .build .build-asan .build-tsan .lua Benchmarks/.build Examples/*/.build Fuzz/.build Fuzz/.found
