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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := cli.Main(ctx, cli.OSEnv(), os.Args[1:])
	stop()
	os.Exit(status)
}
