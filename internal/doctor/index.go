package doctor

import (
	"context"
	"fmt"
)

// index tries the index of every context branch that has one; those of branches
// that are gone are removed with fix.
func (c *checkContext) index(ctx context.Context) (Finding, error) {
	all, err := c.led.CheckIndexes(ctx)
	if err != nil {
		return Finding{}, err
	}
	if len(all) == 0 {
		return healthy("none yet; the first read makes it")
	}
	gone := 0
	first := ""
	for _, i := range all {
		switch {
		case i.Err != nil:
			return Finding{Result: Warn, Detail: i.Err.Error() + "; git is read instead, which is slower",
				Fix: "see that " + i.Dir + " can be written"}, nil
		case i.Gone && c.fix:
			if err := c.led.RemoveIndex(i); err != nil {
				return Finding{}, err
			}
			gone++
		case i.Gone:
			gone++
			first = i.Branch
		}
	}
	switch {
	case gone == 0:
		return healthy("%d usable", len(all))
	case !c.fix:
		return Finding{Result: Warn, Detail: "branches are gone whose index is still there: " + first, Fix: "git ctx doctor --fix"}, nil
	}
	return Finding{Result: OK, Detail: fmt.Sprintf("%d usable", len(all)-gone), Fixed: fmt.Sprintf("%d of branches that are gone removed", gone)}, nil
}
