package records

import "strings"

// longestAgent bounds the name of an agent.
const longestAgent = 64

// Agent returns the actor of an agent by the name that it or its host gives, which
// may be any text: what a name may not hold becomes hyphens.
func Agent(name string) Actor {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	clean = clean[:min(len(clean), longestAgent)]
	if clean = strings.Trim(clean, "-._"); clean == "" {
		clean = "unnamed"
	}
	return Actor("agent/" + clean)
}
