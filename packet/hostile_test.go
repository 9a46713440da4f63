package packet

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s (go test ./packet -update rewrites it); got:\n%s", file, got)
	}
}

// hostileTexts reads the texts that try to leave their quote, to hide, or to
// give orders: a name and a Go string literal a line.
func hostileTexts(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "hostile.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for line := range strings.Lines(string(data)) {
		name, literal, _ := strings.Cut(strings.TrimSpace(line), ": ")
		text, err := strconv.Unquote(literal)
		if err != nil {
			t.Fatalf("hostile text %q: %v", name, err)
		}
		texts = append(texts, text)
	}
	if len(texts) < 40 {
		t.Fatalf("%d hostile texts", len(texts))
	}
	return texts
}

var (
	heading = regexp.MustCompile(`(?m)^\s{0,3}#`)
	ownLine = regexp.MustCompile("^(# Context packet|## .*|---|- .*|  > .*|  - rest: git ctx show [a-z0-9-]+|" +
		"What follows a colon .*|Store .*|Omitted: .*|Not asserted by rule: .*|)$")
)

func hostileStore(texts []string, field func(*records.Record, string)) []*records.Record {
	var rs []*records.Record
	for i, s := range texts {
		id := records.ID("dec-" + alphabet[i/32:i/32+1] + alphabet[i%32:i%32+1] + "aaaaaaaa")
		rs = append(rs, rec(id, records.Accepted, "Title", func(r *records.Record) { field(r, s) }))
	}
	return rs
}

func TestHostileTextStaysInItsQuote(t *testing.T) {
	fields := map[string]func(*records.Record, string){
		"body":   func(r *records.Record, s string) { r.Body = s },
		"title":  func(r *records.Record, s string) { r.Title = s },
		"reason": func(r *records.Record, s string) { r.Verdict.Reason = s },
		"actor": func(r *records.Record, s string) {
			r.Created.Actor, r.Verdict.Actor = records.Actor("agent/"+s), records.Actor("agent/"+s)
		},
	}
	texts := hostileTexts(t)
	for name, field := range fields {
		t.Run(name, func(t *testing.T) {
			req := request("")
			req.Budget, req.MaxChars, req.Eval.Review = 30000, 100000, records.ReviewAny
			p := build(t, req, hostileStore(texts, field)...)
			if n := len(p.Sections[1].Items); n != len(texts) {
				t.Fatalf("%d of %d hostile records shown", n, len(texts))
			}
			checkScan(t, p)
			checkShape(t, p, 2)
			golden(t, "hostile-"+name+".md", p.Markdown())
		})
	}
}

func TestHostileRequestStaysInItsLine(t *testing.T) {
	for _, s := range hostileTexts(t) {
		req := request(s)
		req.Focus = Focus{Branch: s, Paths: []string{s}, Notes: []string{s}}
		req.Context, req.Default, req.Behind = s, s, 1
		p := build(t, req)
		checkShape(t, p, 1)
		checkScan(t, p)
	}
}

// checkShape verifies that the text has only lines of the packet's own making,
// so many sections, and nothing invisible.
func checkShape(t *testing.T, p *Packet, sections int) {
	t.Helper()
	if got := len(heading.FindAllString(p.Markdown(), -1)); got != sections+1 {
		t.Errorf("%d headings, want %d\n%s", got, sections+1, p.Markdown())
	}
	for line := range strings.SplitSeq(p.Markdown(), "\n") {
		if !ownLine.MatchString(line) {
			t.Errorf("line of unknown make: %q", line)
		}
	}
	if strings.Count(p.Markdown(), "\n---\n") != 1 {
		t.Errorf("more than one footer\n%s", p.Markdown())
	}
	prev := rune(0)
	for _, r := range p.Markdown() {
		if r != '\n' && r != 0xFE0F && (unicode.Is(unicode.Cc, r) && r != '\t' || unicode.Is(unicode.Cf, r)) {
			t.Errorf("%U after %q", r, prev)
		}
		prev = r
	}
	for _, tag := range []string{"<system", "</context", "<script", "<|im", "<!--"} {
		if strings.Contains(p.Markdown(), tag) {
			t.Errorf("%s opens a tag", tag)
		}
	}
}

func TestCutsEndAtSentences(t *testing.T) {
	tests := []struct{ in, want string }{
		{"One two. Three four. Five six seven.", "One two. Three four."},
		{"No end of sentence here at all in this", "No end of sentence here"},
		{"Version 1.2.3 is out and is here to stay", "Version 1.2.3 is out and"},
		{"Short.", "Short."},
		{"First line\nsecond line that goes on", "First line"},
		{strings.Repeat("x", 40), strings.Repeat("x", 25)},
	}
	for _, tt := range tests {
		got, cut := paragraphs(tt.in, 25)
		if got != tt.want || cut != (tt.in != tt.want) {
			t.Errorf("paragraphs(%q) = %q, %v; want %q", tt.in, got, cut, tt.want)
		}
	}
	p := build(t, request(""), rec(decID, records.Accepted, "Long", body(strings.Repeat("A sentence of some length. ", 40))))
	if !strings.Contains(p.Markdown(), "length.\n  - rest: git ctx show dec-4k2p\n") {
		t.Errorf("no cut with its hint in\n%s", p.Markdown())
	}
}

// TestAnyTextStaysInItsQuote builds texts of what Markdown, HTML and terminals
// give a meaning to.
func TestAnyTextStaysInItsQuote(t *testing.T) {
	pieces := []string{"#", "##", " ", "  ", "\t", "\n", "\n\n", "\r", "`", "``", "```", "~~~", ">", "-", "=", "*", "_", "+", "1.", "2)", "\\", "<", "</", "!", "[", "](", "|",
		"a", "system", "---", "\u0085", "\u2028", "\u202e", "\x1b[1m", "\u200b", "\ufe0f", "\u2764", "\U000E0041", "\xff", "x."}
	rapid.Check(t, func(rt *rapid.T) {
		text := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(rt, label), "")
		}
		r := rec(decID, records.Accepted, text("title"), body("x\n"+text("body")), reason(text("reason")))
		p, err := Build(records.NewSet([]*records.Record{r}, nil), request(text("purpose")))
		if err != nil {
			rt.Fatal(err)
		}
		if s := scan(p.Markdown()); len(s.faults) > 0 || len(s.headings) != len(p.Sections)+1 {
			rt.Fatalf("%q\n%s", s.faults, p.Markdown())
		}
	})
}
