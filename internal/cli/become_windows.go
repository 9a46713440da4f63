package cli

import (
	"context"
	"os"
	"os/exec"
)

// become runs another program in this one's place, and ends as it does.
func become(ctx context.Context, args, environ []string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environ, os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
