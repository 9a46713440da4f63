package salvage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/ledger"
)

// othersTold is how many commits beside a dead ref's own are told; a refusal to purge
// or many amended writes can leave more.
const othersTold = 4

// create makes a branch at a commit, with a reflog, and refuses where the branch is
// there. git ctx branch starts at commits that a ref leads to only.
const create = "git update-ref --create-reflog %s%s %s ''"

// String says what is missing, and what stands.
func (d *DeadRef) String() string {
	what := d.Gap.Kind + " " + d.Gap.OID.Short()
	if d.Gap.Path != "" {
		what += " (" + d.Gap.Path + ")"
	}
	if d.Gap.Commit != d.Gap.OID {
		what += " of commit " + d.Gap.Commit.Short()
	}
	said := []string{what + " is missing or damaged"}
	if len(d.Own) == 0 {
		said = append(said, "none of its own commits is whole")
	}
	for _, s := range d.Own {
		said = append(said, "whole up to "+s.String())
	}
	if d.Records != nil {
		said = append(said, fmt.Sprintf("the records of its commit %s are whole, without the history", d.Records.OID.Short()))
	}
	for i, s := range d.Others {
		if i == othersTold {
			said = append(said, fmt.Sprintf("and %d more stand beside it", len(d.Others)-i))
			break
		}
		said = append(said, s.String()+" stands beside it")
	}
	return strings.Join(said, "; ")
}

// String names the commit and where it was found.
func (s Standing) String() string {
	subject, _, _ := strings.Cut(s.Message, "\n")
	return fmt.Sprintf("commit %s in %s (%s, %s)", s.OID.Short(), s.In, s.Committer.When.UTC().Format(time.DateOnly), subject)
}

// Ways are the commands that bring back what is missing or keep what stands. They
// work while refs are dead, and delete and overwrite nothing.
func Ways(ctx context.Context, led *ledger.Ledger, dead []DeadRef) ([]string, error) {
	remotes, err := led.Repo().Remotes(ctx)
	if err != nil {
		return nil, err
	}
	def, err := led.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	refs, err := led.Repo().Refs(ctx, led.HeadRefs())
	if err != nil {
		return nil, err
	}
	taken := make(map[string]bool, len(refs))
	for _, r := range refs {
		taken[r.Name] = true
	}
	var ways []string
	for _, d := range dead {
		for _, m := range remotes {
			if branch := remoteBranch(d.Name, m.Name); branch != "" {
				ways = append(ways, fmt.Sprintf("git fetch --refetch %s +refs/ctx/heads/%s:refs/ctx/remotes/%s/%s # brings again what '%s' has; then look again", m.Name, branch, m.Name, branch, m.Name))
			}
		}
	}
	for _, d := range dead {
		branch, local := strings.CutPrefix(d.Name, led.HeadRefs())
		if !local {
			continue
		}
		first := ""
		for _, s := range slices.Concat(d.Own, d.Others[:min(len(d.Others), othersTold)]) {
			name := rescued(led.HeadRefs(), branch, taken)
			ways = append(ways, fmt.Sprintf(create+" # keeps what was found in %s", led.HeadRefs(), name, s.OID, s.In))
			if first == "" {
				first = name
			}
		}
		if d.Records != nil && len(d.Own) > 0 {
			name := rescued(led.HeadRefs(), branch+"-records", taken)
			ways = append(ways, fmt.Sprintf(create+" # keeps all records; verdicts that only the lost history proves count as nobody's", led.HeadRefs(), name,
				fmt.Sprintf("$(git commit-tree -p %s -m 'Take up the records of a dead branch' '%s^{tree}')", d.Own[0].OID, d.Records.OID)))
		}
		if first != "" {
			ways = append(ways, fmt.Sprintf("git ctx switch %s # goes on there", first))
		}
		if first != "" && branch == def {
			ways = append(ways, fmt.Sprintf("git config ctx.defaultBranch %s # while '%s' is dead: nothing is read past the default branch's vetoes", first, branch))
		}
	}
	return distinct(ways), nil
}

// distinct drops what was said before: a branch and what tracks it want the same fetch.
func distinct(lines []string) []string {
	var out []string
	for _, l := range lines {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// remoteBranch is the branch of a remote that may hold what a ref leads to, else "".
func remoteBranch(ref, remote string) string {
	if branch, ok := strings.CutPrefix(ref, "refs/ctx/heads/"); ok {
		return branch
	}
	branch, _ := strings.CutPrefix(ref, "refs/ctx/remotes/"+remote+"/")
	if branch == ref {
		return ""
	}
	return branch
}

// rescued is a name for a new branch that no other has.
func rescued(prefix, branch string, taken map[string]bool) string {
	name := "rescued-" + strings.ReplaceAll(branch, "/", "-")
	for n := 2; taken[prefix+name]; n++ {
		name = fmt.Sprintf("rescued-%s-%d", strings.ReplaceAll(branch, "/", "-"), n)
	}
	taken[prefix+name] = true
	return name
}
