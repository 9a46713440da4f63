package merge_test

import (
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

func BenchmarkRecords(b *testing.B) {
	base := with(record(records.Hypothesis), func(r *records.Record) {
		r.Body = strings.Repeat("Every deploy empties the cache.\n", 20)
		r.Tags = []string{"cache", "latency"}
	})
	ours := judged(with(base, func(r *records.Record) { r.Body += "ours\n" }), bundle("supported", digestA, "111111"))
	theirs := judged(with(base, func(r *records.Record) { r.Tags = []string{"cache"} }), bundle("refuted", digestA, "222222"))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := merge.Records(one(base), ours, theirs); err != nil {
			b.Fatal(err)
		}
	}
}
