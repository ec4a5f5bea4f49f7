# make run    installs what is missing, builds, opens the window (without a display: runs the quick suite)
# make headless   the command line alone, without window, OpenGL and X, for servers and CI: bin/assay-headless
# make test   installs what is missing, passes every test
# make test-race   the tests again under the race detector, the simulated Metal also under the address sanitizer
# make test-cuda   the CUDA engine's tests on this machine's NVIDIA GPU: the contract, every kernel, faults
# make test-metalsim   only the Metal engine's tests on the simulated Metal (Linux)
# make goldens   writes what the tests hold of the window's pages again, in ui/**/testdata
# make screenshots   draws the pages that docs/images has, from real runs, again
# make bench-window   tells what each page of the window costs, under Xvfb (docs/cost.md)
# make peers   measures the C kernels beside OpenBLAS and oneDNN, which it installs, and ggml from GGML=folder, into docs/performance.md (Linux);
#                with ISA=avx2 or ISA=avx512 all of them without newer instructions
# make app    makes dist/Assay.app, on Linux with MACOS_SDK=FOLDER; make dmg its disk image (docs/macos.md)
# make release   what people install, into dist: on Linux a .deb and a .tar.gz, each with and without the window, and with
#                MACOS_SDK=FOLDER the app for macOS; on macOS the disk image (docs/linux.md, docs/macos.md)
.PHONY: run test test-race test-cuda test-metalsim build build-metalsim headless deps lint bench bench-window peers fuzz goldens screenshots app dmg release clean

TAGS := $(shell . scripts/tools.sh && echo $$tags)
GO   := go
BIN  := bin/assay
SRC  := $(shell find . -name '*.go' -o -name '*.c' -o -name '*.m' -o -name '*.h' -o -name '*.s' -o -name '*.metal' -o -name '*.png' -o -name '*.css' -o -name '*.tmpl' | grep -v -e '^./bin' -e '^./.cache') go.mod go.sum

# The compiler that tools.sh chooses for cgo, if it does.
ifeq ($(origin CC),default)
cc := $(shell . scripts/tools.sh && echo $$CC)
ifneq ($(cc),)
export CC := $(cc)
endif
endif

run: build
	@$(BIN)

build: deps
	@$(MAKE) --no-print-directory $(BIN)

$(BIN): $(SRC)
	$(GO) build -tags $(TAGS) -o $@ .

headless:
	@sh scripts/deps.sh headless
	@$(MAKE) --no-print-directory $(BIN)-headless

$(BIN)-headless: $(SRC)
	$(GO) build -tags headless -o $@ .

deps:
	@sh scripts/deps.sh build

test: deps
	@sh scripts/deps.sh test
	@sh scripts/test.sh

test-race: deps
	@sh scripts/deps.sh test
	@sh scripts/race.sh

test-cuda:
	ASSAY_TEST_CUDA=1 $(GO) test -count 1 -timeout 30m ./gpu/cuda -run '^TestReal' -v

test-metalsim: deps
	@sh scripts/deps.sh test
	@sh scripts/metalsim.sh

# The whole app with the simulated Metal in place of Apple's, for a look on Linux: bin/assay-metalsim run --engine metal
build-metalsim: deps
	@sh scripts/deps.sh test
	CC=$(CURDIR)/scripts/metalsim-cc $(GO) build -tags $(TAGS),metalsim -o bin/assay-metalsim .

lint: deps
	@sh scripts/lint.sh

bench: deps
	@sh scripts/bench.sh

bench-window: deps
	@sh scripts/deps.sh test
	@bash scripts/windowcost.sh

peers: deps
	@sh scripts/peers.sh $(ROUNDS)

fuzz: deps
	@sh scripts/fuzz.sh

goldens: deps
	$(GO) test -tags $(TAGS) $(sort $(patsubst %/testdata/,./%,$(dir $(wildcard ui/testdata/*.txt ui/*/testdata/*.txt)))) \
		-run '^Test(Goldens|Look)' -update

# The pictures of the README: every page, in a real window after real runs on the CPU engine.
screenshots: deps
	@sh scripts/deps.sh pictures
	xvfb-run -a -s "-screen 0 1280x800x24" \
		$(GO) test -count 1 -tags $(TAGS) -timeout 15m ./ui -run '^TestScreenshots$$' -screenshots $(CURDIR)/docs/images

# What to build, where Apple's headers are (on Linux), and who signs (on macOS): docs/macos.md.
ARCHS          ?= arm64 amd64
MACOS_SDK      ?=
SIGN_IDENTITY  ?=
NOTARY_PROFILE ?=
export ARCHS MACOS_SDK SIGN_IDENTITY NOTARY_PROFILE GO TAGS

app:
	@sh scripts/deps.sh build
	@sh packaging/macos/app.sh

dmg:
	@sh packaging/macos/dmg.sh

release:
	@sh scripts/deps.sh release
	@sh packaging/release.sh

clean:
	rm -rf bin dist
