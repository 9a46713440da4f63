//go:build unix

package cli

import (
	"context"
	"syscall"
)

// become makes this process another program. It returns on failure only.
func become(_ context.Context, args, environ []string) error {
	return syscall.Exec(args[0], args, environ)
}
