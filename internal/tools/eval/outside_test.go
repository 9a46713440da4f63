package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

func TestLocomoBecomesAStore(t *testing.T) {
	data, err := os.ReadFile("testdata/locomo.json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := readLocomo(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if s.view.Len() != 4 || len(s.questions) != 3 {
		t.Fatalf("%d records, %d questions", s.view.Len(), len(s.questions))
	}
	if n := len(s.questions[1].Gold[anyhow]); n != 2 {
		t.Errorf("two turns in one text count as %d", n)
	}
	if q := s.questions[2]; q.Answer != "2023" || q.Class != "time" {
		t.Errorf("third question: %+v", q)
	}
	var first, second bytes.Buffer
	if err := writeStore(&first, s); err != nil {
		t.Fatal(err)
	}
	back, err := readStore(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeStore(&second, back); err != nil || first.String() != second.String() {
		t.Errorf("the store reads back as another: %v", err)
	}
	for _, bad := range []string{"", "[]", `[{"conversation": {"session_1": [], "session_1_date_time": "soon"}}]`, strings.ReplaceAll(string(data), `"dia_id": "D1:`, `"dia_id": "X`)} {
		if s, err := readLocomo(strings.NewReader(bad)); err == nil && len(s.questions) == 3 {
			t.Errorf("%.40q is read whole", bad)
		}
	}
	var out bytes.Buffer
	if err := outside(&out, "locomo", s, options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 500 | packet | 1.000 |", "packet of the index's pool", "(BM25 over what holds)", "most recent first"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// What the records say must be found through what an index keeps too.
func TestSharedQuestionsAreAnswered(t *testing.T) {
	const dir = "../../../../shared/data"
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the shared questions are not here")
	}
	for _, form := range []struct {
		name    string
		load    func(string) (*store, error)
		packets [3]float64 // at 500, 1,000 and 2,000 tokens
	}{
		{"accepted", sharedAccepted, [3]float64{0.56, 0.64, 0.73}},
		{"imported", sharedImported, [3]float64{0.42, 0.52, 0.53}},
	} {
		s, err := form.load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.questions) < 31 {
			t.Errorf("%s: %d questions", form.name, len(s.questions))
		}
		err = s.indexed(func(snap *index.Snap) error {
			for _, y := range []way{{name: "packet", forms: []chooser{ours}}, {name: "pool", forms: []chooser{pooled(snap)}}} {
				rs, err := y.measure([]*store{s})
				if err != nil {
					return err
				}
				for i, least := range form.packets {
					got := mean(rs[i].all.recalls)
					if t.Logf("%s: the %s of %d tokens finds %.3f", form.name, y.name, budgets[i], got); got < least {
						t.Errorf("%s: the %s of %d tokens finds %.3f, less than %.3f", form.name, y.name, budgets[i], got, least)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestDifferenceIsPaired(t *testing.T) {
	var a, b []float64
	for i := range 100 {
		a, b = append(a, float64(i%10)/10+0.05), append(b, float64(i%10)/10)
	}
	if got := difference(a, b); got != "+0.050 (+0.050 to +0.050)" {
		t.Errorf("pairs that differ by 0.05 alike: %s", got)
	}
	b[0], b[1] = 1, 1 // now some pairs differ otherwise
	if got := difference(a, b); got == "+0.050 (+0.050 to +0.050)" || !strings.HasPrefix(got, "+0.0") {
		t.Errorf("pairs that differ otherwise: %s", got)
	}
}

func TestAnswersCountWhateverRecordTellsThem(t *testing.T) {
	q := question{Gold: map[string][]fact{anyhow: {{id: "con-1", or: []records.ID{"task-1"}}, {id: "con-2"}}}, Answer: "behind the barns"}
	if recall, rank := q.among([]records.ID{"con-9", "task-1"}); recall != 0.5 || rank != 0.5 {
		t.Errorf("recall %v, rank %v", recall, rank)
	}
	if recall, rank := q.among(nil); recall != 0 || rank != 0 {
		t.Errorf("of nothing: recall %v, rank %v", recall, rank)
	}
	if shown, all := q.answerWords("a barn"); shown != 1 || all != 2 {
		t.Errorf("%d of %d words", shown, all)
	}
}
