# Touchline. `make help` lists the targets. `make run` and `make test` install what they need.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

WEB_SOURCES := $(shell find web/src web/sw web/scripts web/public web/index.html web/vite.config.ts web/package-lock.json -type f 2>/dev/null)
WORKER_SOURCES := $(shell find worker Cargo.toml Cargo.lock -type f -not -path '*/target/*') $(shell find fixtures/channels -type f)
NPM := npm --prefix web --no-fund --no-audit --loglevel=error
VENV := .cache/venv

.PHONY: help run announce-run test hooks check check-tree check-web check-worker check-worker-text test-worker test-worker-all test-worker-postgres build-tests test-web e2e journeys bench soak soak-tests fuzz fixtures coverage replay sessions affected screenshots pictures-edges dist generate format clean

help: ## This list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | sort | awk -F'\t' '{printf "  make %-15s %s\n", $$1, $$2}'

run: announce-run hooks web/dist/.built ## Build what changed and serve the demo on http://127.0.0.1:8080
	@scripts/need cargo cc
	cargo build --package touchline
	@echo "Demo account: demo@northfield.example, password: touchline (cards: 4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined)"
	@exec target/debug/touchline serve --analytics-allow-localhost true

announce-run:
	@echo "Builds the site and the worker, then serves the demo on http://127.0.0.1:8080. The first time takes about five minutes on two cores, later ones seconds."

test: ## Everything: checks, worker tests, web tests, browser journeys
	# Downloads and single-threaded steps run in parallel with the worker's build.
	$(MAKE) --no-print-directory -j3 --output-sync=target check-tree check-worker-text build-tests check-web .cache/tools.installed
	# In sequence: each keeps two processors busy.
	$(MAKE) --no-print-directory test-worker test-web journeys

check: check-tree check-worker check-web ## Checks for every save: formats, lints, import borders, types, generated files

hooks: # The subject of each commit is checked as it is written.
	@scripts/need node
	@node scripts/commits/subjects.mjs --install

check-tree: hooks
	node --test --test-reporter=dot scripts/*/*.test.mjs web/scripts/*.test.mjs
	node scripts/commits/subjects.mjs
	node scripts/api/grows.mjs
	node scripts/wording/check.mjs
	scripts/check-docs

check-worker: check-worker-text web/dist/.built
	cargo clippy --workspace --all-targets --quiet -- -D warnings

check-worker-text:
	@scripts/need cargo cc node
	cargo fmt --all --check
	QUIET=1 scripts/module-graph

check-web: web/node_modules/.installed
	$(NPM) run lint
	$(NPM) run unused
	$(NPM) run types
	$(NPM) run codegen:check
	$(NPM) run machines
	$(NPM) run tabs:check
	$(NPM) run coverage
	$(NPM) run unreached:check

# A failure ends with its message.
export RUST_BACKTRACE := 0

# One pass lints and compiles: clippy's driver is the compiler with lints.
LINTED := CLIPPY_ARGS="-Dwarnings__CLIPPY_HACKERY__" RUSTC_WORKSPACE_WRAPPER="$$(rustc --print sysroot)/bin/clippy-driver"

build-tests: web/dist/.built
	@scripts/need cargo cc
	$(LINTED) cargo test --workspace --all-targets --no-run --quiet

# Both at once: tests wait for what they kill or restart.
test-worker: build-tests .cache/tools.installed ## Worker tests
	$(MAKE) --no-print-directory -j2 test-worker-all test-worker-postgres

NEXTEST := PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(LINTED) scripts/postgresql cargo nextest run --workspace

test-worker-all:
	$(NEXTEST)

# The calls that write, again on PostgreSQL.
test-worker-postgres:
	TOUCHLINE_TEST_STORE=postgres $(NEXTEST) --test-threads 2 --test channel -E 'test(/^accounts::/)'

test-web: web/node_modules/.installed ## Web unit tests, and the recorded logs replayed
	$(NPM) run test
	$(MAKE) --no-print-directory replay

# They use the binary that the worker's tests have built.
JOURNEYS := TOUCHLINE_BIN="$(CURDIR)/target/debug/touchline" PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(NPM) run e2e --

journeys: build-tests .cache/tools.installed ## Browser journeys
	$(JOURNEYS)

e2e: dist .cache/tools.installed ## Browser journeys on the release binary
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(NPM) run e2e

dist: target/release/touchline ## Build target/release/touchline, one binary with the site and the demo channels

target/release/touchline: web/dist/.built $(WORKER_SOURCES)
	@scripts/need cargo cc
	cargo build --release --package touchline
	@touch $@

web/node_modules/.installed: web/package-lock.json web/codegen/package.json
	@scripts/need node npm
	$(NPM) ci
	@touch $@

web/dist/.built: web/node_modules/.installed $(WEB_SOURCES)
	$(NPM) run build
	@touch $@

.cache/tools.installed: scripts/need scripts/requirements.txt
	@scripts/need chromium chromium-headless-shell firefox-esr webkit2gtk-driver xvfb gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-libav
	@scripts/need ffmpeg python3-venv strace postgresql pgbouncer nginx caddy curl
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --requirement scripts/requirements.txt
	@touch $@

bench: .cache/tools.installed target/release/touchline ## Benchmarks compared with other systems, into docs/benchmarks.md
	@scripts/need redis-server postgresql nginx libnginx-mod-http-brotli-static wrk curl
	node worker/touchline/benches/channel-reads.mjs target/release/touchline
	node worker/touchline/benches/upstream-proxy.mjs target/release/touchline
	node worker/touchline/benches/video-cache.mjs target/release/touchline
	node worker/touchline/benches/media-files.mjs target/release/touchline
	npm --prefix web/peers ci --loglevel=error
	node worker/touchline/benches/purchases.mjs target/release/touchline
	ulimit -n "$$(ulimit -Hn)"; node worker/touchline/benches/sockets.mjs target/release/touchline
	cargo bench --quiet --package touchline-datalake --bench datalake -- ingest
	$(NPM) run bench:recording
	cd web && PATH="$(CURDIR)/$(VENV)/bin:$$PATH" npx tsx e2e/statuses/run.ts
	cd web && npx tsx e2e/faults/run.ts && npx tsx e2e/players/startup.ts && npx tsx e2e/players/outages.ts
	node web/peers/lighthouse.mjs target/release/touchline

fuzz: web/dist/.built .cache/tools.installed ## Hundreds of random cases for each call of the API document
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" TOUCHLINE_FUZZ_EXAMPLES=200 cargo test --quiet --package touchline --test worker -- schemathesis::

soak: target/release/touchline .cache/tools.installed ## Long tests: millions of events, hundreds of kills, mutants of the machines
	cargo deny --version > /dev/null 2>&1 || cargo install cargo-deny --locked
	cargo deny check bans licenses sources
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" cargo bench --quiet --package touchline-datalake --bench datalake -- soak
	$(VENV)/bin/python worker/datalake/truth/check.py 51 1000000
	node worker/channel/tests/rules/try-each.mjs
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" TOUCHLINE_FULL_DISKS=50 cargo test --quiet --package touchline --test worker -- full_disk:: descriptors:: --nocapture
	ulimit -n "$$(ulimit -Hn)"; TOUCHLINE_UPSTREAM_VIEWERS=5000 cargo test --release --quiet --package touchline --test worker -- upstream_load:: --nocapture
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" UPSTREAM=worker $(NPM) run e2e -- e2e/buy/prices.spec
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" UPSTREAM=plain $(NPM) run e2e -- e2e/buy/prices.spec
	TOUCHLINE_KILLS=200 cargo test --quiet --package touchline --test worker -- kills::
	TOUCHLINE_PURCHASES=100000 cargo test --release --quiet --package touchline --test worker -- stripe_walk:: --nocapture
	TOUCHLINE_SEVERAL_S=600 cargo test --release --quiet --package touchline --test worker -- several::workers --nocapture
	ulimit -n "$$(ulimit -Hn)"; TOUCHLINE_LOAD_SOCKETS=10000 TOUCHLINE_LOAD_SILENT=2000 TOUCHLINE_LOAD_VIEWERS=200 TOUCHLINE_LOAD_BODIES=600 \
		cargo test --release --quiet --package touchline --test worker -- load:: --nocapture --test-threads 1
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" TAB_KILLS=100 FOUR_TABS_ROUNDS=300 ROUNDS=100 $(NPM) run e2e -- e2e/tabs/tab-kills e2e/tabs/four-tabs e2e/tabs/leader.spec --workers=2
	ALONE=1 PACE_TIMES=5 $(NPM) run e2e -- e2e/loading/pace e2e/offline/full-disk e2e/qa/recording-speed --workers=1
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" SESSIONS=100 ALONE=1 $(NPM) run e2e -- e2e/watch/quality-of-experience.spec
	MAX_STEP_MS=50 ALONE=1 $(NPM) run e2e -- e2e/browse/channel-sizes -g jumping
	OUTAGES=200 ALONE=1 $(NPM) run e2e -- e2e/watch/outages e2e/watch/live-sources --workers=1
	cd web && TAB_WALKS=1000 WALKS=500 npx vitest run src/tabs/walk.test.ts src/sagas/walk.test.ts
	cd web && SYNC_RUNS=10000 npx vitest run src/sagas/statuses.walk.test.ts --testTimeout=7200000
	$(NPM) run mutants:machines
	cd web && FUZZ_RUNS=5000 EDITS=2000 REMOVED=30 npx vitest run replay/fuzz.test.ts replay/edits.test.ts replay/logs.test.ts src/eventlog/replay.fuzz.test.ts
	$(NPM) run mutants
	TOUCHLINE_POWER_MOVES=3 TOUCHLINE_POWER_TEARS=8 cargo test --release --quiet --package touchline-datalake --test lake -- power:: --nocapture
	TOUCHLINE_POWER_CUTS=1000 cargo test --release --quiet --package touchline-store --test power -- --nocapture
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" TOUCHLINE_CRASH_ROUNDS=300 TOUCHLINE_CRASH_SENDERS=16 TOUCHLINE_CRASH_EVENTS=1000000 \
		cargo test --release --quiet --package touchline-datalake --test lake -- crash:: --nocapture
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" TOUCHLINE_SMALL_BATCHES=17280 cargo test --release --quiet --package touchline-datalake --test lake -- table::a_day --nocapture
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" TOUCHLINE_READERS_S=300 cargo test --release --quiet --package touchline-datalake --test lake -- readers:: --nocapture

soak-tests: build-tests .cache/tools.installed ## Worker tests and journeys under load, into docs/soak-tests.tsv, until stopped; or RUNS=3 MEMORY=4G
	cd web && exec node --import tsx scripts/soak-tests.ts $(if $(RUNS),--runs $(RUNS)) $(if $(MEMORY),--memory $(MEMORY))

generate: web/node_modules/.installed .cache/tools.installed ## Write docs/openapi.json, the web's types, docs/machines.md, docs/datalake.md and the limits in docs/security.md
	cargo run --quiet --package touchline -- openapi > docs/openapi.json.new && mv docs/openapi.json.new docs/openapi.json
	$(NPM) run codegen
	$(NPM) run machines
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" TOUCHLINE_WRITE=1 cargo test --quiet --package touchline-datalake --test lake -- dictionary::
	TOUCHLINE_WRITE=1 cargo test --quiet --package touchline --bins limits::

fixtures: ## Generate the demo channels (needs ffmpeg)
	@scripts/need ffmpeg
	node fixtures/generate/northfield.mjs
	node fixtures/generate/laurentides.mjs
	node fixtures/generate/media.mjs

coverage: ## Write docs/coverage.md: the tests of each requirement
	@scripts/need node
	@node web/scripts/coverage.mjs

replay: web/node_modules/.installed ## Record and replay every session and the logs of the tree; or make replay LOGS="a.jsonl b.jsonl"
ifdef LOGS
	$(NPM) run replay -- $(LOGS)
else
	@folder=$$(mktemp -d); trap 'rm -r "$$folder"' EXIT; \
	$(NPM) run record-logs -- --all "$$folder"; \
	$(NPM) run replay -- fixtures/logs/*.jsonl "$$folder"/*.jsonl
endif

sessions: web/node_modules/.installed ## Replay every session of a folder or of a worker's reports: make sessions FROM=DIR [SCREENS=1]
	@$(NPM) run sessions -- $(if $(SCREENS),--screens) "$(abspath $(FROM))"

affected: web/node_modules/.installed ## The fewest sessions that run the changed lines: make affected FROM=DIR [SINCE=COMMIT] [JSON=1]
	@$(NPM) run --silent affected -- $(if $(SINCE),--since "$(SINCE)") $(if $(JSON),--json) "$(abspath $(FROM))"

screenshots: dist .cache/tools.installed ## Screenshots of the site at 390 and 1440 px, into docs/screenshots
	$(NPM) run screenshots

pictures-edges: dist .cache/tools.installed ## Screenshots of an extreme and an empty channel, at five widths, into web/edge-pictures
	cd web && npx tsx e2e/edge-pictures.ts edge-pictures

format: web/node_modules/.installed ## Format everything
	cargo fmt --all
	$(NPM) run format

clean: ## Remove what was built
	cargo clean
	rm -rf web/dist web/node_modules .cache
