# `go test ./...` needs none of this; these targets are for what needs more.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test race lint generate bench fuzz crash

build:
	go build -o bin/git-ctx ./cmd/git-ctx

test:
	go test ./...

race:
	go test -race ./gitstore ./internal/ledger

# crash kills writers at every step of a write, in a build that has the fault points.
crash:
	go test -tags faultpoints -run TestCrash ./cmd/git-ctx

lint:
	test -z "$$(gofmt -l .)"
	go vet ./...
	go run $(STATICCHECK) ./...

# generate rewrites every checked-in file that is made from code.
generate:
	go run ./cmd/git-ctx man --dir docs/man
	go test ./records/merge -run TestStateTables -update

bench:
	go run ./internal/bench

fuzz:
	go test ./records -run '^$$' -fuzz FuzzParse -fuzztime 60s
