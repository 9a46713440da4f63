# `go test ./...` needs none of this; these targets are for what needs more.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test race lint generate bench eval fuzz crash purge stress soak secrets newgit hosts hooks-suites

build:
	go build -o bin/git-ctx ./cmd/git-ctx

test:
	go test ./...

race:
	go test -race ./gitstore ./internal/ledger ./internal/sync
	go test -race -run 'Parallel|Keys|Stopped|UnderWay|Subscriptions|HTTP' ./internal/mcpserver

# crash kills writers at every step of a write, in a build that has the fault points.
crash:
	go test -tags faultpoints -run TestCrash ./cmd/git-ctx

# purge purges a record that was edited over 5,000 commits from a store of 10,000, and
# looks for its words in every object and file.
purge:
	go run ./internal/tools/bench -records 10000 -only purge

# stress writes from eight processes, MCP servers among them, beside gc, repack, prune,
# pack-refs and readers; STRESS=-short writes a fifth.
stress:
	go run ./internal/tools/stress $(STRESS)

# soak lets clones of one or two hubs write and sync in random order for a while,
# and holds what stands in the end against what was written; SOAK=1h is longer.
SOAK = 5m
soak:
	go test ./internal/sync -count=1 -timeout 0 -v -run TestReplicaSimulation -soak $(SOAK)

# newgit runs the suites over repository shapes with git 2.47, which is fetched
# and unpacked in bin/ where apt has a Debian mirror.
newgit:
	path=$$(.ci/newgit bin/_newgit) && PATH="$$path:$$PATH" go test -count=1 -run 'TestShapes|TestConformance' ./gitstore ./cmd/git-ctx

# hosts runs the real programs of coding agents against a model of ours: they are
# fetched into bin/ where npm has a registry.
hosts:
	path=$$(.ci/hosts bin/_hosts) && HOSTS=$$path go test -count=1 -tags hosts -run TestHosts ./cmd/git-ctx

# hooks-suites runs our hooks beside husky, lefthook and the pre-commit framework
# themselves, which are fetched into bin/ where the registries have them.
hooks-suites:
	path=$$(.ci/hookprograms bin/_hooks) && PATH="$$path:$$PATH" go test -count=1 -tags hookprograms -run TestHookPrograms ./cmd/git-ctx

lint:
	test -z "$$(gofmt -l .)"
	go vet ./...
	go run $(STATICCHECK) ./...

# secrets holds our copy of gitleaks' rules against gitleaks itself.
secrets:
	cd internal/secrets/gitleaks && go vet -mod=mod . && go test -mod=mod -count=1 .

# generate rewrites every checked-in file that is made from code, but the table in
# docs/design/storage.md, which takes a while and says itself how it is made.
generate:
	go run ./cmd/git-ctx man --dir docs/man
	go test ./records/merge -run TestStateTables -update
	go test ./records/audit -run TestRulesPage -update
	go test ./internal/o200k -run TestVocabulary -update

bench:
	go run ./internal/tools/bench -records 1000,10000,100000
	go run ./internal/tools/bench -records 10000 -host 1000000

# eval measures what packets tell of generated projects whose truth is known, and
# of the records and questions in the file that CTX_EVAL_DATA names, if any.
eval:
	go run ./internal/tools/eval $(EVAL)

# The protocol's own suites, which npm installs in bin/node with the node they need.
NODE = bin/node/node_modules
$(NODE):
	.ci/node bin/node

.PHONY: mcp-conformance mcp-inspector mcp-leak mcp-bench
mcp-conformance: $(NODE)
	go run ./internal/tools/mcpconform -modules $(NODE) -only conformance

mcp-inspector: $(NODE)
	go run ./internal/tools/mcpconform -modules $(NODE) -only inspector

mcp-bench: $(NODE)
	go run ./internal/tools/bench -records 10000,100000 -modules $(NODE)

# mcp-leak makes 10,000 calls of one server and looks at what they left.
mcp-leak:
	MCP_CALLS=10000 go test ./internal/mcpserver -count=1 -v -timeout 30m -run TestNothingLeaks

fuzz:
	go test ./records -run '^$$' -fuzz FuzzParse -fuzztime 60s
