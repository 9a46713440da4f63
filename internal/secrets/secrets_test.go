package secrets

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Samples are put together here, so that no scanner takes this file for a leak.
func githubToken() string { return "ghp" + "_" + "n7Qx2LkV9sTdB4mZ8wRfY1hJc6GpA3eUo5iX" }
func password() string    { return "password" + " = \"" + "q8Zr4tVw1Lx7Kp2m" + "\"" }

func names(fs []Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Rule)
	}
	return out
}

func TestFind(t *testing.T) {
	d := New()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"one character", "a", nil},
		{"prose", "The cache key is a hash of the access token, which invalidates it: see internal/cache/lru.go.", nil},
		{"a token of one kind", "use " + githubToken() + " for the mirror", []string{"github-pat"}},
		{"one kind stands above generic", "github_token = " + githubToken(), []string{"github-pat"}},
		{"anything assigned to a name", "It was\n" + password() + "\nthen.", []string{genericRule}},
		{"keywords in any case", strings.ToUpper(password()[:8]) + password()[8:], []string{genericRule}},
		{"a kelvin sign for a k", "api_" + kelvin + "ey = q8Zr4tVw1Lx7Kp2m", []string{genericRule}},
		{"what varies too little", "ghp" + "_" + strings.Repeat("a", 36), nil},
		{"a stop word", "api_token = example-7f3k9x2m4q", nil},
		{"digests of git and ours", "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08, commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12", nil},
		{"ids of records", "rests on dec-4k2p9xq7mz, and hyp-7k3m9q2x4w: refuted", nil},
		{"two of them", githubToken() + "\n" + password(), []string{genericRule, "github-pat"}},
	} {
		if got := names(d.Find(c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%s: found %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFindingSaysWhere(t *testing.T) {
	text := "the token is " + githubToken() + "."
	fs := New().Find(text)
	if len(fs) != 1 || text[fs[0].Start:fs[0].End] != githubToken() {
		t.Fatalf("found %v", fs)
	}
}

// Every expression compiles, and the rules are as they are searched for.
func TestRules(t *testing.T) {
	for i, r := range rules {
		if i > 0 && rules[i-1].id >= r.id {
			t.Errorf("rule %s is out of order", r.id)
		}
		if !Known(r.id) {
			t.Errorf("rule %s is not known", r.id)
		}
		if _, err := regexp.Compile(r.regex); err != nil {
			t.Errorf("rule %s: %v", r.id, err)
		}
		for _, a := range r.allowed {
			for _, re := range a.regexes {
				if _, err := regexp.Compile(re); err != nil {
					t.Errorf("rule %s: %v", r.id, err)
				}
			}
		}
		for _, k := range r.keywords {
			if len(k) < 2 || k != strings.ToLower(k) {
				t.Errorf("rule %s: keyword %q cannot be found", r.id, k)
			}
		}
	}
	if Known("no-such-rule") {
		t.Error("a rule is known that is not there")
	}
	if !Known(genericRule) {
		t.Errorf("there is no rule %s to be put behind the others", genericRule)
	}
}

// What assigns rules out, the expression and its allowlist do too.
func TestAssignsRulesNothingOutThatIsFound(t *testing.T) {
	i := slices.IndexFunc(rules[:], func(r rule) bool { return r.id == genericRule })
	re, allowed := regexp.MustCompile(rules[i].regex), regexp.MustCompile(rules[i].allowed[0].regexes[0])
	found := 0
	name := rapid.SampledFrom([]string{"key", "Token", "api", "passwd", "credential of the new mirrors \t", "acceſſ", "monkey business"})
	sign := rapid.SampledFrom([]string{"=", ">", ":", ":::=", "||", "=>", "?=", ",", " is "})
	filler := rapid.StringMatching("[`'\"\\s=]{0,6}")
	value := rapid.StringMatching(`[\w.=-]{8,14}|[a-z0-9+/ſ]{10,14}={0,3}`)
	end := rapid.SampledFrom([]string{"", " ", ";", "\\n", "é", "`", "/", ","})
	rapid.Check(t, func(t *rapid.T) {
		text := name.Draw(t, "name") + filler.Draw(t, "before") + sign.Draw(t, "sign") + filler.Draw(t, "after") +
			value.Draw(t, "value") + end.Draw(t, "end")
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			if allowed.MatchString(m[1]) {
				continue
			}
			found++
			if !assigns(text, rules[i].keywords) {
				t.Fatalf("%q is ruled out, and holds %q", text, m[1])
			}
		}
	})
	if found == 0 {
		t.Error("nothing was found to be ruled out")
	}
}

const prose = "Every deploy empties the cache, and the first minute after it the database answers each request itself: " +
	"the p99 rises from 40 ms to 900. The access pattern is a long tail, the key is a hash of the query, and the token of " +
	"the session is part of it. We measured it on 2026-11-30T10:12:31Z with `go test -bench .`, ten runs each.\n\n"

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New()
	}
}

func BenchmarkFind(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"title", prose[:72]}, {"prose", strings.Repeat(prose, 3)}, {"secret", prose + githubToken()}, {"generic", prose + password()},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := New()
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				d.Find(c.text)
			}
		})
	}
}

// BenchmarkFirst is what one command pays: a detector, and the expressions that a text needs.
func BenchmarkFirst(b *testing.B) {
	for _, c := range []struct{ name, text string }{{"prose", strings.Repeat(prose, 3)}, {"generic", prose + password()}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				New().Find(c.text)
			}
		})
	}
}
