package gittest

import (
	"crypto/sha1" // git's name of a blob
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Crowd writes n loose objects whose names start with 17: the directory by
// which git estimates how many there are.
func (r *Repo) Crowd(n int) {
	r.t.Helper()
	for i := 0; n > 0; i++ {
		content := fmt.Sprintf("object %d of this crowd", i)
		// git's name of a blob
		if sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content))[0] == 0x17 {
			r.GitInput(content, "hash-object", "-w", "--stdin")
			n--
		}
	}
}

// MaintenanceRuns makes the repository's git processes, from now on, tell what
// they run; the function it returns counts the ended `git maintenance run --auto`.
func (r *Repo) MaintenanceRuns() func() int {
	r.t.Helper()
	trace := filepath.Join(r.t.TempDir(), "trace")
	r.Env = append(r.Env, "GIT_TRACE2_EVENT="+trace)
	return func() int {
		b, err := os.ReadFile(trace)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.t.Fatal(err)
		}
		started := make(map[string]bool)
		ended := 0
		for line := range strings.Lines(string(b)) {
			_, sid, _ := strings.Cut(line, `"sid":"`)
			sid, _, _ = strings.Cut(sid, `"`)
			switch {
			case strings.Contains(line, `"event":"start"`) && strings.Contains(line, `"maintenance","run","--auto"`):
				started[sid] = true
			case strings.Contains(line, `"event":"atexit"`) && started[sid]:
				ended++
			}
		}
		return ended
	}
}

// Wait fails the test when something does not come true within 20 seconds.
func (r *Repo) Wait(what string, is func() bool) {
	r.t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("waited in vain for %s", what)
		}
	}
}
