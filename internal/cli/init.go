package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

func newInitCmd(env *Env) *cobra.Command {
	var o setup.InitOptions
	var review string
	cmd := &cobra.Command{
		Use: "init", Short: "make this repository keep context", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch records.Review(review) {
			case "", records.ReviewAny, records.ReviewHuman, records.ReviewSigned:
			default:
				return usagef("git ctx init --review human", "unknown --review '%s': it is any, human or signed", review)
			}
			o.Review = records.Review(review)
			return runInit(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&review, "review", "", "`WHO` accepts: any, human (the default) or signed")
	f.BoolVar(&o.Follow, "follow", false, "let the context branch follow the code branch")
	f.StringVar(&o.DefaultBranch, "default-branch", "", "`NAME` of the default context branch (main)")
	return cmd
}

func runInit(ctx context.Context, env *Env, o setup.InitOptions) error {
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	res, err := setup.Init(ctx, led, o)
	if err != nil {
		return err
	}
	env.setUpMerges(ctx, led.Repo())
	if env.json() {
		return env.writeJSON(struct {
			Format  int            `json:"format"`
			Branch  string         `json:"branch"`
			Commit  gitstore.OID   `json:"commit"`
			Created bool           `json:"created"`
			Adopted []string       `json:"adopted"`
			Review  records.Review `json:"review"`
		}{jsonFormat, res.Branch, res.Commit, res.Created, append([]string{}, res.Adopted...), res.Policy.Review})
	}
	what := "initialised"
	if !res.Created {
		what = "already initialised"
	}
	if len(res.Adopted) > 0 {
		what = fmt.Sprintf("took over %s from what is known of remote '%s'", strings.Join(res.Adopted, ", "), res.From)
	}
	_, err = fmt.Fprintf(env.Stdout, "%s: context branch '%s', review: %s\n", what, res.Branch, res.Policy.Review)
	return err
}
