package cli

import (
	"strings"
	"testing"
)

// An import of many items tells how far it is; one of few says nothing.
func TestProgressOfAnImport(t *testing.T) {
	var out strings.Builder
	tell := progressLine(&out, "Importing records")
	for i := range 1000 {
		tell(i+1, 1000)
	}
	if s := out.String(); !strings.HasSuffix(s, "\rImporting records: 100% (1000/1000), done.\n") || strings.Count(s, "\r") != 101 {
		t.Errorf("said %q", s)
	}
	out.Reset()
	tell = progressLine(&out, "Importing records")
	for i := range 10 {
		tell(i+1, 10)
	}
	if out.Len() > 0 {
		t.Errorf("of ten: %q", out.String())
	}
}
