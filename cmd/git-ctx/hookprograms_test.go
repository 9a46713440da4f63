//go:build hookprograms

package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestHookPrograms runs testdata/hookprograms, whose scripts need the programs
// that manage git's hooks on PATH: 'make hooks-suites' fetches them.
func TestHookPrograms(t *testing.T) {
	testscript.Run(t, scriptParams(t, "testdata/hookprograms"))
}
