// Command eval measures what packets tell of projects whose truth is known:
// how much of it, and whether anything that is not so. It needs no network and
// no model, and two runs print the same but for times.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// budgets are the sizes of packets, in tokens, that are compared.
var budgets = []int{500, 1000, 2000, 4000}

// dataFile names, in the environment, a file of records and questions to measure as well.
const dataFile = "CTX_EVAL_DATA"

// options are what the command line asks for.
type options struct {
	sizes, only  string
	locomo       string // a file of that data set
	shared       string // a folder of issues, decision records and questions
	seeds, asked int
	parts, write bool
}

func main() {
	var o options
	flag.StringVar(&o.sizes, "records", "300,1000,3000", "sizes of the projects, separated by commas; none for \"\"")
	flag.StringVar(&o.shared, "shared", "../shared/data", "a folder of issues, decision records and questions about them")
	flag.IntVar(&o.seeds, "seeds", 5, "how many projects of each size")
	flag.IntVar(&o.asked, "questions", 42, "questions asked of each project")
	flag.StringVar(&o.only, "only", "", "ask only in the ways whose name begins so")
	flag.BoolVar(&o.parts, "parts", false, "tell recall by part of the answer and by class of question, and name what is missed")
	flag.BoolVar(&o.write, "write", false, "write the first project of each size in the form of "+dataFile+" and measure nothing")
	flag.StringVar(&o.locomo, "locomo", "", "locomo10.json: write it in the form of "+dataFile+" and measure nothing")
	flag.Parse()
	if err := run(os.Stdout, o, os.Getenv(dataFile)); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, o options, data string) error {
	if o.locomo != "" {
		return convert(w, o.locomo)
	}
	if !o.write {
		if err := measureUpdates(w, o.shared); err != nil {
			return err
		}
		if err := sharedData(w, o.shared, o); err != nil {
			return err
		}
		if data != "" {
			if err := outsideFile(w, data, o); err != nil {
				return err
			}
		}
	}
	if o.sizes == "" {
		return nil
	}
	ways := slices.DeleteFunc(ways(), func(y way) bool { return !strings.HasPrefix(y.name, o.only) })
	for size := range strings.SplitSeq(o.sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		var stores []*store
		for seed := range o.seeds {
			s, err := living(uint64(seed+1), n, o.asked)
			if err != nil {
				return err
			}
			if o.write {
				return writeStore(w, s)
			}
			stores = append(stores, s)
		}
		fmt.Fprintf(w, "\n%d records, %d projects, %d questions each\n", n, o.seeds, o.asked)
		if err := compare(w, stores, ways, o.parts); err != nil {
			return err
		}
		printStrange(w, stores)
	}
	return nil
}

// convert writes a file of LoCoMo as outside data.
func convert(w io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := readLocomo(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return writeStore(w, s)
}

// living returns a project of that seed and size with its questions.
func living(seed uint64, size, asked int) (*store, error) {
	l, err := newLife(seed, size)
	if err != nil {
		return nil, err
	}
	qs := l.ask(asked)
	return &store{
		view:  records.NewSet(slices.Collect(maps.Values(l.main)), nil),
		judge: records.EvalContext{Review: records.ReviewHuman, ValidAt: l.now}, now: l.now,
		stale: l.stale, questions: qs,
	}, nil
}

// stale reports whether the record does not hold: what it said is not what its topic says now.
func (l *life) stale(id records.ID) bool {
	p, ok := l.outdated[id]
	return ok && (p.value == "" || p.value != p.t.decision.needle)
}
