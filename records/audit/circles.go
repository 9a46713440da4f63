package audit

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// circles finds the records from which a relation leads back to themselves.
// It is Tarjan's algorithm run on demand from each record asked about, without
// recursion, so that all questions of a pass together cost one walk.
type circles struct {
	targets func(records.ID) []records.ID
	nodes   map[records.ID]*circleNode
	stack   []records.ID
}

type circleNode struct {
	index, low int
	onStack    bool
	// component holds the records of one circle or several that touch, sorted;
	// nil when the record is on none.
	component []records.ID
}

func newCircles(targets func(records.ID) []records.ID) *circles {
	return &circles{targets: targets, nodes: make(map[records.ID]*circleNode)}
}

// through returns the records that lie on circles connected with id, or nil.
func (c *circles) through(id records.ID) []records.ID {
	if c.nodes[id] == nil {
		c.walk(id)
	}
	return c.nodes[id].component
}

type circleFrame struct {
	id      records.ID
	targets []records.ID
}

func (c *circles) walk(root records.ID) {
	frames := []circleFrame{c.enter(root)}
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		n := c.nodes[f.id]
		if len(f.targets) > 0 {
			t := f.targets[0]
			f.targets = f.targets[1:]
			switch seen := c.nodes[t]; {
			case seen == nil:
				frames = append(frames, c.enter(t))
			case seen.onStack:
				n.low = min(n.low, seen.index)
			}
			continue
		}
		if n.low == n.index {
			c.close(f.id)
		}
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			up := c.nodes[frames[len(frames)-1].id]
			up.low = min(up.low, n.low)
		}
	}
}

func (c *circles) enter(id records.ID) circleFrame {
	i := len(c.nodes)
	c.nodes[id] = &circleNode{index: i, low: i, onStack: true}
	c.stack = append(c.stack, id)
	return circleFrame{id, c.targets(id)}
}

// close takes the component whose first record is root off the stack.
func (c *circles) close(root records.ID) {
	start := len(c.stack) - 1
	for c.stack[start] != root {
		start--
	}
	members := slices.Clone(c.stack[start:])
	c.stack = c.stack[:start]
	slices.Sort(members)
	circular := len(members) > 1 || slices.Contains(c.targets(root), root)
	for _, id := range members {
		n := c.nodes[id]
		n.onStack = false
		if circular {
			n.component = members
		}
	}
}

// shortest returns a shortest circle from and back to id within its component,
// id first and last. The component must not be nil.
func (c *circles) shortest(id records.ID) []records.ID {
	component := c.through(id)
	from := make(map[records.ID]records.ID)
	for queue := []records.ID{id}; len(queue) > 0; queue = queue[1:] {
		for _, t := range c.targets(queue[0]) {
			if t == id {
				path := []records.ID{id}
				for at := queue[0]; at != id; at = from[at] {
					path = append(path, at)
				}
				path = append(path, id)
				slices.Reverse(path)
				return path
			}
			_, seen := from[t]
			if _, in := slices.BinarySearch(component, t); in && !seen {
				from[t] = queue[0]
				queue = append(queue, t)
			}
		}
	}
	return []records.ID{id}
}
