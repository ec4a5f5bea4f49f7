# make run    installs what is missing, builds, opens the window (without a display: runs the quick suite)
# make test   installs what is missing, passes every test
.PHONY: run test build deps lint bench fuzz clean

# The tag says that all UI calls are made on Fyne's thread, which drops its run-time checks.
TAGS := migrated_fynedo
GO   := go
BIN  := bin/assay
SRC  := $(shell find . -name '*.go' -o -name '*.c' -o -name '*.h' -o -name '*.s' -o -name '*.metal' -o -name '*.png' -o -name '*.css' -o -name '*.tmpl' | grep -v -e '^./bin' -e '^./.cache') go.mod go.sum

run: build
	@$(BIN)

build: deps
	@$(MAKE) --no-print-directory $(BIN)

$(BIN): $(SRC)
	$(GO) build -tags $(TAGS) -o $@ .

deps:
	@sh scripts/deps.sh build

test: deps
	@sh scripts/deps.sh test
	@sh scripts/test.sh

lint: deps
	@sh scripts/lint.sh

bench: deps
	@sh scripts/bench.sh

fuzz: deps
	@sh scripts/fuzz.sh

clean:
	rm -rf bin dist
