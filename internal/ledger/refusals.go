package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// maxRefusals bounds the file of refusals, in bytes: some 25,000 of them.
const maxRefusals = 1 << 20

// A Refusal is an addition that was refused because the same text was ruled out
// before.
type Refusal struct {
	At   time.Time
	Twin records.ID // what was ruled out
}

func (l *Ledger) refusalsFile() string {
	return filepath.Join(l.scopeDir(l.repo.CommonDir()), "refused")
}

// noteRefusal keeps count of an addition that was refused as ruled out before. A
// refusal leaves no commit, so the count is this repository's own, kept beside
// the store and best effort: where it cannot be written, the refusal stands.
func (l *Ledger) noteRefusal(err error) {
	var twin *DeadTwinError
	if !errors.As(err, &twin) {
		return
	}
	name := l.refusalsFile()
	if info, err := os.Stat(name); err == nil && info.Size() >= maxRefusals {
		return
	}
	if os.MkdirAll(filepath.Dir(name), 0o777) != nil {
		return
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = fmt.Fprintf(f, "%s %s\n", records.FormatInstant(l.Now()), twin.Twin)
}

// Refusals returns the additions that were refused in this repository since it
// keeps count, oldest first; what cannot be read of it is left out.
func (l *Ledger) Refusals() []Refusal {
	f, err := os.Open(l.refusalsFile())
	if err != nil {
		return nil
	}
	defer f.Close()
	var out []Refusal
	for lines := bufio.NewScanner(f); lines.Scan(); {
		at, id, _ := strings.Cut(lines.Text(), " ")
		when, err := records.ParseInstant(at)
		twin, idErr := records.ParseID(id)
		if err == nil && idErr == nil {
			out = append(out, Refusal{when, twin})
		}
	}
	return out
}
