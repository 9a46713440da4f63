package records

import (
	"encoding/binary"
	"testing"
)

// manyRecords returns n decisions that each rest on evidence shared by ten.
func manyRecords(tb testing.TB, n int) []*Record {
	rs := make([]*Record, n)
	one := mustParse(tb, typical)
	for i := range rs {
		r := one.Clone()
		r.ID = NewID(Decision, seed(i))
		r.Links[RestsOn] = []ID{NewID(Evidence, seed(i/10))}
		rs[i] = r
	}
	return rs
}

func seed(i int) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(i)*0x9e3779b97f4a7c15)
}

func BenchmarkNewSet(b *testing.B) {
	rs := manyRecords(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		NewSet(rs, nil)
	}
	b.ReportMetric(10_000, "records")
}
