package cli

import (
	"github.com/spf13/cobra"

	"context"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

func newEditCmd(env *Env) *cobra.Command {
	return &cobra.Command{Use: "edit", Hidden: true, RunE: func(*cobra.Command, []string) error { return errNo }}
}

func (e *Env) editOp(ctx context.Context, s *records.Schema, op *ledger.Op) error { return errNo }
