# haccess. GNU make; everything that is made goes to build/.
#
#   make              the four products
#   make quickstart   builds, then shows the main job on a stand-in codex
#   make check        builds and runs the tests that need no vendor CLI
#   make check-vendors  runs the real CLIs against haccess
#   make check-fresh  the differential tests among these with a fresh seed
#   make check-installed  as root: installs here, runs the real CLIs by the library's name, uninstalls
#   make deb          a Debian package
#   make check-deb    what lintian says of it; as root: installs it, uses it, removes it
#   make check-html     the page that haccess-log exports, in a browser
#   make check-completion  that --help, manual pages and completions name the same, and work
#   make check-schema   the policy's JSON Schema against the parser, by another validator
#   make everything   builds the products and all tests
#   make bench        measures; bench-log: haccess-log beside jq on a million records
#   make install      PREFIX=/usr/local DESTDIR=
#   make uninstall

VERSION := 0.1.0
PREFIX  ?= /usr/local
BINDIR  := $(PREFIX)/bin
LIBDIR  := $(PREFIX)/lib
MANDIR  := $(PREFIX)/share/man
DATADIR := $(PREFIX)/share/haccess
B       := build

CC       ?= cc
CXX      ?= c++
CFLAGS   ?= -O2 -g
CXXFLAGS ?= -O2 -g
WARN     := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wvla
ifdef WERROR
WARN     += -Werror
endif
# libbsd has two forms of strnvis; OpenBSD's is the one everybody else knows.
CPPFLAGS += -D_GNU_SOURCE -DLIBBSD_OPENBSD_VIS -DHACCESS_VERSION='"$(VERSION)"'

# Debian packages that the build and the tests need: pkg-config module (or program) and package.
MODULES  := libcjson:libcjson-dev libbsd-overlay:libbsd-dev libmd:libmd-dev check:check tomlplusplus:libtomlplusplus-dev
PROGRAMS := pkg-config:pkg-config gcc:gcc g++:g++
# What the real CLIs need, and the programs that they are launched through.
VENDOR_PROGRAMS := node:nodejs npm:npm bwrap:bubblewrap socat:socat git:git python3:python3 go:golang-go

PKG_CFLAGS = $(shell pkg-config --cflags libcjson libbsd-overlay libmd 2>/dev/null)
PKG_LIBS   = $(shell pkg-config --libs libcjson libbsd-overlay libmd 2>/dev/null)
CHECK_LIBS = $(shell pkg-config --libs check 2>/dev/null)

ALL_CFLAGS = -std=c11 $(CFLAGS) $(WARN) $(CPPFLAGS) $(PKG_CFLAGS) -MMD -MP
# toml++ is headers only here, and the helper must not load libstdc++ for each launch.
CXX_LINK   = -static-libstdc++ -static-libgcc

# The preload library: nothing but libc, and no version of it. Everything else is one archive.
PRELOAD_SRC := $(wildcard shim/preload/*.c) $(wildcard shim/names/*.c)
MAIN_SRC    := shim/decide/main.c
DECIDE_SRC  := $(filter-out $(MAIN_SRC),$(wildcard shim/*.c shim/names/*.c shim/adapters/*.c shim/decide/*.c shim/journal/*.c))
DECIDE_CXX  := $(wildcard shim/toml/*.cpp)
TOOL_SRC    := $(wildcard tools/*.c)
LOG_SRC     := $(wildcard tools/haccess-log/*.c)
TEST_SRC    := $(wildcard tests/test_*.c)
SUPPORT_SRC := $(wildcard tests/support/*.c)

PRELOAD_OBJ := $(PRELOAD_SRC:%.c=$(B)/pic/%.o)
DECIDE_OBJ  := $(DECIDE_SRC:%.c=$(B)/obj/%.o) $(DECIDE_CXX:%.cpp=$(B)/obj/%.o)
TESTS       := $(TEST_SRC:tests/%.c=$(B)/tests/%)
# Stand-ins that the tests of the preload library run: programs, libraries (lib*.c), some once more on musl where there
# is one, one that is linked with the library, and one that is static: no constructor makes up for what a hook misses.
STAND_LIB   := $(wildcard tests/preload/lib*.c)
STAND_SRC   := $(filter-out $(STAND_LIB),$(wildcard tests/preload/*.c))
STANDS      := $(STAND_LIB:%.c=$(B)/%.so) $(STAND_SRC:%.c=$(B)/%) $(B)/tests/preload/linked $(B)/tests/preload/show-static
ifneq ($(shell command -v musl-gcc),)
STANDS      += $(B)/tests/preload/show-musl $(B)/tests/preload/caller-musl
endif
VENDOR_SRC  := $(wildcard tests/vendors/*.c)
VENDOR_SUP  := $(wildcard tests/vendors/support/*.c)
VENDOR_DIRS := $(B)/vendors/run /var/tmp/haccess-check-vendors-$(shell id -u)
VENDOR_RUNS := $(VENDOR_SRC:tests/%.c=$(B)/tests/%)
INSTALLED   := $(B)/tests/vendors/installed/installed

PRODUCTS := $(B)/libhaccess.so $(B)/haccess-exec $(B)/haccess $(B)/haccess-log

.PHONY: all deps quickstart everything check check-vendors check-fresh check-installed bench install uninstall clean
.DELETE_ON_ERROR:
# Objects are kept, those of test programs too.
.SECONDARY:
all: $(PRODUCTS)

# Installs what is missing, and says so; silent when nothing is.
deps:
	@sh tests/deps.sh $(foreach m,$(MODULES),module:$(m)) $(foreach p,$(PROGRAMS),program:$(p))

# No libc at link time: it would give its symbols versions, and the file has to load in any libc. Headers declare exec's arguments
# to be never NULL; callers pass NULL all the same, and get the kernel's answer.
PRELOAD_CFLAGS = -std=c11 $(CFLAGS) $(WARN) $(CPPFLAGS) -MMD -MP -fPIC -fvisibility=hidden -U_FORTIFY_SOURCE -fno-stack-protector \
    -fno-builtin -fno-delete-null-pointer-checks
$(B)/libhaccess.so: $(PRELOAD_OBJ) shim/preload/libhaccess.map
	$(CC) -shared -nostdlib -Wl,-soname,libhaccess.so -Wl,-Bsymbolic-functions -Wl,--version-script=shim/preload/libhaccess.map -Wl,-z,now -Wl,-z,noexecstack $(LDFLAGS) -o $@ $(PRELOAD_OBJ)

$(B)/libdecide.a: $(DECIDE_OBJ)
	$(AR) rcs $@ $?

$(B)/haccess-exec: $(B)/obj/$(MAIN_SRC:.c=.o) $(B)/libdecide.a
	$(CXX) $(LDFLAGS) $(CXX_LINK) -o $@ $^ $(PKG_LIBS)

$(B)/haccess: $(TOOL_SRC:%.c=$(B)/obj/%.o) $(B)/libdecide.a
	$(CXX) $(LDFLAGS) $(CXX_LINK) -o $@ $^ $(PKG_LIBS)

$(B)/haccess-log: $(LOG_SRC:%.c=$(B)/obj/%.o) $(B)/libdecide.a
	$(CXX) $(LDFLAGS) $(CXX_LINK) -o $@ $^ $(PKG_LIBS)

# What is embedded with .incbin.
$(B)/obj/tools/haccess-log/html.o: tools/haccess-log/page.css tools/haccess-log/page.js

$(B)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(PRELOAD_CFLAGS) -c -o $@ $<

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -I. -c -o $@ $<

$(B)/obj/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) -std=c++17 $(CXXFLAGS) -Wall -Wextra $(CPPFLAGS) -fno-rtti -MMD -MP -I. -c -o $@ $<

# Random command lines come from the same source for the adapter alone and for the real CLI.
$(B)/tests/test_claude_random: $(B)/obj/tests/vendors/support/chance.o $(B)/obj/tests/vendors/support/claude_vectors.o

# Static pattern rules: among implicit ones make takes the other where an object is not there yet.
$(TESTS): $(B)/tests/%: $(B)/obj/tests/%.o $(SUPPORT_SRC:%.c=$(B)/obj/%.o) $(B)/libdecide.a
	@mkdir -p $(@D)
	$(CXX) $(LDFLAGS) $(CXX_LINK) -o $@ $^ $(CHECK_LIBS) $(PKG_LIBS)

$(B)/obj/tests/vendors/%.o: CPPFLAGS += -DVENDORS_SOURCE='"$(CURDIR)/tests/vendors"'
$(VENDOR_RUNS) $(INSTALLED): $(B)/tests/vendors/%: $(B)/obj/tests/vendors/%.o $(VENDOR_SUP:%.c=$(B)/obj/%.o) $(B)/libdecide.a
	@mkdir -p $(@D)
	$(CXX) $(LDFLAGS) $(CXX_LINK) -o $@ $^ $(CHECK_LIBS) $(PKG_LIBS)

$(B)/tests/bench/%: tests/bench/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) $(WARN) $(CPPFLAGS) -o $@ $<

# Makes journals with their hashes.
$(B)/tests/bench/journal: tests/bench/journal.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) $(WARN) $(CPPFLAGS) $(PKG_CFLAGS) -o $@ $< $(PKG_LIBS)

.PHONY: bench-log
bench-log: deps
	@sh tests/deps.sh program:jq:jq
	@$(MAKE) --no-print-directory -j2 all $(B)/tests/bench/journal $(B)/tests/bench/race
	@sh tests/bench-log.sh $(B)

bench: deps
	@$(MAKE) --no-print-directory -j2 all $(B)/tests/bench/spawn $(B)/tests/bench/peak
	@sh tests/bench.sh $(B)
	@$(MAKE) --no-print-directory bench-log

$(B)/tests/preload/%: tests/preload/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) $(WARN) -o $@ $< -lpthread

$(B)/tests/preload/%-musl: tests/preload/%.c
	@mkdir -p $(@D)
	musl-gcc -std=c11 -O2 -o $@ $<

$(B)/tests/preload/%-static: tests/preload/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) $(WARN) -static -o $@ $<

$(B)/tests/preload/%.so: tests/preload/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) $(WARN) -shared -fPIC -o $@ $<

$(B)/tests/preload/linked: tests/preload/show.c $(B)/libhaccess.so
	@mkdir -p $(@D)
	$(CC) -std=c11 $(CFLAGS) $(WARN) -o $@ $< -Wl,--no-as-needed $(abspath $(B)/libhaccess.so) -Wl,-rpath,$(abspath $(B))

-include $(shell test -d $(B) && find $(B) -name '*.d')

check: deps
	@echo building ...
	@$(MAKE) -s --no-print-directory -j2 all $(TESTS) $(STANDS)
	@sh tests/run.sh $(B) $(TESTS)

quickstart: deps
	@echo building ...
	@$(MAKE) -s --no-print-directory -j2 all
	@sh tests/quickstart.sh $(B)

BASHDIR := $(PREFIX)/share/bash-completion/completions
ZSHDIR  := $(PREFIX)/share/zsh/site-functions
MANUALS := $(wildcard tools/man/*.[1-8])

# The library finds the helper beside itself. Each file comes into its place whole: programs are started with it
# while it is replaced. The helper comes first, as a library without one fails every launch.
put = install -m $(1) $(2) $(DESTDIR)$(3)/.new-$(notdir $(2)) && mv -f $(DESTDIR)$(3)/.new-$(notdir $(2)) $(DESTDIR)$(3)/$(notdir $(2))
install: $(PRODUCTS)
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR) $(DESTDIR)$(DATADIR) $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR)
	$(call put,755,$(B)/haccess-exec,$(LIBDIR))
	$(call put,755,$(B)/libhaccess.so,$(LIBDIR))
	$(call put,755,$(B)/haccess,$(BINDIR))
	$(call put,755,$(B)/haccess-log,$(BINDIR))
	for m in $(MANUALS); do d=$(DESTDIR)$(MANDIR)/man$${m##*.}; install -d $$d && install -m 644 $$m $$d/ || exit 1; done
	install -m 644 tools/policy.schema.json $(DESTDIR)$(DATADIR)/policy.schema.json
	install -m 644 tools/completion/haccess.bash $(DESTDIR)$(BASHDIR)/haccess
	ln -sf haccess $(DESTDIR)$(BASHDIR)/haccess-log
	install -m 644 tools/completion/_haccess $(DESTDIR)$(ZSHDIR)/_haccess
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then echo ldconfig; ldconfig; fi

# The library first: what is started without it is not decided, what is started without the helper fails.
uninstall:
	rm -f $(DESTDIR)$(LIBDIR)/libhaccess.so
	rm -f $(DESTDIR)$(LIBDIR)/haccess-exec $(DESTDIR)$(BINDIR)/haccess $(DESTDIR)$(BINDIR)/haccess-log
	for m in $(MANUALS); do rm -f $(DESTDIR)$(MANDIR)/man$${m##*.}/$${m##*/}; done
	rm -f $(DESTDIR)$(DATADIR)/policy.schema.json
	-@rmdir $(DESTDIR)$(DATADIR) 2>/dev/null
	rm -f $(DESTDIR)$(BASHDIR)/haccess $(DESTDIR)$(BASHDIR)/haccess-log $(DESTDIR)$(ZSHDIR)/_haccess
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then echo ldconfig; ldconfig; fi

.PHONY: deb check-deb check-schema check-completion
# The exported page in a browser; its pictures are in build/html.
.PHONY: check-html
check-html: deps all
	@sh tests/deps.sh program:python3:python3 program:chromium:chromium program:chromedriver:chromium-driver
	@mkdir -p $(B)/html
	@timeout 300 /usr/bin/python3 tests/html.py $(B)/haccess-log $(B)/html

# --help, manual pages and completions name the same.
check-completion: deps all
	@sh tests/deps.sh program:bash:bash program:zsh:zsh program:mandoc:mandoc
	@sh tests/completion.sh $(B)

# The JSON Schema for editors, by a validator that is not ours.
check-schema: deps all
	@sh tests/deps.sh program:python3:python3 python:jsonschema:python3-jsonschema
	@/usr/bin/python3 tests/schema.py $(B)/haccess tools/policy.schema.json

# lintian and dpkg-dev are Debian's own; nothing else needs them.
deb: deps all
	@sh tests/deps.sh program:dpkg-shlibdeps:dpkg-dev program:strip:binutils
	@rm -f $(B)/haccess_*.deb
	@sh tools/deb.sh $(B) $(VERSION)

check-deb: deb
	@sh tests/deps.sh program:lintian:lintian
	@sh tests/deb.sh $(B)

everything: all $(TESTS) $(STANDS) $(VENDOR_RUNS) $(INSTALLED)

.PHONY: vendors
vendors: deps
	@sh tests/deps.sh $(foreach p,$(VENDOR_PROGRAMS),program:$(p))
	@$(MAKE) --no-print-directory -j2 all $(VENDOR_RUNS) $(INSTALLED)
	@sh tests/vendors/install.sh $(B)/vendors
	@rm -rf $(VENDOR_DIRS)

# codex leaves an empty directory for its daemon in /tmp, wherever TMPDIR is.
check-vendors: vendors
	@sh tests/run.sh $(B) $(VENDOR_RUNS); status=$$?; rmdir $(VENDOR_DIRS) /tmp/codex-daemon-$$(id -u) 2>/dev/null; exit $$status

# The differential tests once more, with vectors that no run has seen; the seed is printed.
check-fresh: vendors
	@HACCESS_SEED=fresh sh tests/run.sh $(B) $(filter $(B)/tests/vendors/differ_%,$(VENDOR_RUNS)); status=$$?; rmdir $(VENDOR_DIRS) /tmp/codex-daemon-$$(id -u) 2>/dev/null; exit $$status

check-installed: vendors
	@$(MAKE) --no-print-directory install >$(B)/install.log
	@status=0; PATH="$(BINDIR):$$PATH" sh tests/run.sh $(B) $(INSTALLED) || status=1; \
	$(MAKE) --no-print-directory uninstall >>$(B)/install.log || status=1; \
	rmdir $(VENDOR_DIRS) /tmp/codex-daemon-$$(id -u) 2>/dev/null; exit $$status

clean:
	rm -rf $(B)
