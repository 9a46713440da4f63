package codelink_test

import (
	"fmt"
	"testing"

	"github.com/git-ctx/git-ctx/internal/codelink"
)

func TestRecordsNamed(t *testing.T) {
	for message, want := range map[string]string{
		"Warm the cache\n\nCtx-Task: task-2m8w3k5r7t\n":                                                            "[{task-2m8w3k5r7t Ctx-Task}]",
		"Squashed\n\n* One\n\n  Ctx-Decision: dec-4k2p\n\n* Two\n\n  ctx-task: TASK-2m8w, task-3n9x\n\nMore text.": "[{dec-4k2p Ctx-Decision} {task-2m8w Ctx-Task} {task-3n9x Ctx-Task}]",
		"As dec-4k2p9xqrst says, see (hyp-7k3m9q2x4w).\n\nCtx-Record: dec-4k2p9xqrst":                              "[{dec-4k2p9xqrst Ctx-Record} {hyp-7k3m9q2x4w }]",
		"dec-4k2p and xdec-4k2p9xqrst, dec-4k2p9xqrstu and Ctx-Tasks: task-2m8w3k5r":                               "[]",
		"> - Ctx-Task: task-2m8w": "[{task-2m8w Ctx-Task}]",
		"":                        "[]",
	} {
		if got := fmt.Sprint(codelink.RecordsNamed(message)); got != want {
			t.Errorf("%q names %s, want %s", message, got, want)
		}
	}
}
