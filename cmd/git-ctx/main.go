// Command git-ctx is the git plugin git ctx.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/git-ctx/git-ctx/internal/cli"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		// git hands on a signal that the terminal sent us too: the first one counts.
		for s := range signals {
			if s, ok := s.(syscall.Signal); ok {
				cancel(&cli.Interrupt{Signal: s})
			}
		}
	}()
	os.Exit(cli.Main(ctx, cli.OSEnv(), os.Args[1:]))
}
