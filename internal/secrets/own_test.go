package secrets

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Samples are put together here, so that no scanner takes this file for a leak.
func TestOwnRules(t *testing.T) {
	d := New()
	hex := "4f1c9a7be2d0386594ab71cd0e6f52b8"
	word := "pass" + "word"
	zero := githubToken()[:12] + "\u200b" + githubToken()[12:20] + "\u2060\u00ad" + githubToken()[20:]
	wide := strings.Map(func(r rune) rune { return r + 0xfee0 }, githubToken())
	for _, c := range []struct {
		text string
		want string // the rule, "" for none
	}{
		{"postgres://app:" + "hunter2@db.example.com/orders", "url-credentials"},
		{"mongodb+srv://app:" + "S3cr.t@cluster0.example.net", "url-credentials"},
		{"redis://:" + "swordfish@cache:6379/0", "url-credentials"},
		{"clone https://x-access-token:" + "abcdef@example.com/a.git", "url-credentials"},
		{"Authorization: " + "Basic YWRhOmh1bnRlcjI=", "authorization-basic"},
		{`"authorization": "` + `basic YWRhOmh1bnRlcjI="`, "authorization-basic"},
		{word + ": hunter2", "password-value"},
		{word + "=swordfish", "password-value"},
		{word + ": swordfish", "password-value"},
		{"the DB_" + strings.ToUpper(word) + "=correcthorse is set", "password-value"},
		{"MYSQL_PWD=" + "tr0ub4dor", "password-value"},
		{word + ` = "` + `swordfish"`, "password-value"},
		{"key-" + hex, "mailgun-key"},
		{"mailgun uses " + hex + "-4f1c9a7b-e2d03865", "mailgun-key"},
		{"dckr_" + "pat_Qx2LkV9sTdB4mZ8wRfY1hJc6GpA", "docker-hub-token"},
		{"NRAK-" + "Q7X2LKV9STDB4MZ8WRFY1HJC6GP", "new-relic-key"},
		{hex + "4f1cFFFF" + "NRAL", ""},
		{hex + "4f1c" + "NRAL", "new-relic-key"},
		{zero, "github-pat"},
		{wide, "github-pat"},

		{"postgres://user:" + "password@host/db", ""},
		{"https://user:$TOKEN@example.com", ""},
		{"postgres://app:<password>@db", ""},
		{"see https://example.com:8080/a@b", ""},
		{"ssh://git@example.com:22/a.git", ""},
		{"Authorization: Basic " + "<credentials>", ""},
		{word + ": required, at least 12 characters", ""},
		{"the " + word + ": it is asked for at a terminal", ""},
		{word + "=$DB_" + "PASSWORD", ""},
		{word + " = os.Getenv(\"X\")", ""},
		{word + ": X", ""},
		{word + "=X", ""},
		{"PWD=/home/ada", ""},
		{"reset the " + word + "s of all users", ""},
		{"ein größeres Passwort: 日本語", ""},
	} {
		got := names(d.Find(c.text))
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%q: found %v, want %q", c.text, got, c.want)
		}
		if c.want == "" {
			continue
		}
		if left := d.Redact("before " + c.text + " after"); !strings.HasPrefix(left, "before ") || len(d.Find(left)) > 0 && strings.Contains(left, "hunter2") {
			t.Errorf("%q is redacted to %q", c.text, left)
		}
	}
	if left := d.Redact("a " + zero + " b"); left != "a [secret] b" {
		t.Errorf("a split token is redacted to %q", left)
	}
}

// Ids of records are no secrets, whatever they are assigned to.
func TestIDsOfRecords(t *testing.T) {
	d := New()
	rnd := rand.New(rand.NewPCG(1, 2))
	const digits = "0123456789abcdefghjkmnpqrstvwxyz"
	kinds := []string{"goal", "task", "hyp", "ev", "dec", "con", "rb", "trg"}
	for range 1000 {
		id := kinds[rnd.IntN(len(kinds))] + "-"
		for range 10 {
			id += string(digits[rnd.IntN(len(digits))])
		}
		for _, form := range []string{"token: %s", "the access key = %s", "api_key=\"%s\"", "pass" + "word: %s", "pass" + "word=%s", "auth=%s,%s", "wt/%s", "rests on %s."} {
			text := fmt.Sprintf(form, slices.Repeat([]any{id}, strings.Count(form, "%s"))...)
			if got := d.Find(text); len(got) > 0 {
				t.Fatalf("%q: found %v", text, names(got))
			}
		}
	}
	if len(d.Find("token: q8Zr4tVw1Lx7Kp2m")) == 0 {
		t.Error("nothing is found that is assigned so")
	}
}

// The documents of this repository hold no secrets, though they speak of them.
func TestDocumentsHoldNone(t *testing.T) {
	d := New()
	files := 0
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && path == filepath.Join("..", "..", "bin") {
			return filepath.SkipDir // others' programs, which make fetches there
		}
		if err != nil || e.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for i, part := range strings.Split(string(data), "\n\n") { // as a record's text would be
			for _, f := range d.Find(part) {
				t.Errorf("%s, paragraph %d: rule %s takes %q for a secret", path, i+1, f.Rule, part[f.Start:f.End])
			}
		}
		return nil
	})
	if err != nil || files < 20 {
		t.Errorf("%d documents, %v", files, err)
	}
}
