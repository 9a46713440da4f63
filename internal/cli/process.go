package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
)

// Process is [Main] for a process of its own: a signal that asks it to end cancels
// what runs.
func Process(env *Env, args []string) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		// git hands on a signal that the terminal sent us too: the first one counts.
		for s := range signals {
			if s, ok := s.(syscall.Signal); ok {
				cancel(&ui.Interrupt{Signal: s})
			}
		}
	}()
	return Main(ctx, env, args)
}
