package doctor

import (
	"context"
	"strings"

	"github.com/git-ctx/git-ctx/internal/salvage"
)

// objects looks for every object that a ref of the store leads to, and where one is
// missing for what still stands.
func (c *checkContext) objects(ctx context.Context) (Finding, error) {
	dead, err := salvage.Find(ctx, c.led)
	if err != nil {
		return Finding{}, err
	}
	if len(dead) == 0 {
		return healthy("all there")
	}
	said := make([]string, len(dead))
	for i, d := range dead {
		said[i] = d.Name + " is dead: " + d.String()
	}
	ways, err := salvage.Ways(ctx, c.led, dead)
	return Finding{Result: Fail, Detail: strings.Join(said, "; "), Fix: strings.Join(ways, "\n")}, err
}
