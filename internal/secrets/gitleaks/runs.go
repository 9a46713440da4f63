package main

import "regexp/syntax"

// A least is what every string that an expression matches has of a class of
// characters: uninterrupted runs at its start, its end and anywhere.
type least struct {
	whole          bool // it is of the class throughout
	pre, post, any int
}

func ofWhole(n int) least { return least{whole: true, pre: n, post: n, any: n} }

// leastRun returns the length of the run of characters of a class that every match
// of an expression holds. Characters beyond ASCII count as of the class.
func leastRun(expr string, class func(rune) bool) (int, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return 0, err
	}
	return runOf(re, class).any, nil
}

func runOf(re *syntax.Regexp, class func(rune) bool) least {
	switch re.Op {
	case syntax.OpLiteral:
		l := ofWhole(0)
		for _, r := range re.Rune {
			l = l.then(char(class(r)))
		}
		return l
	case syntax.OpCharClass:
		return char(within(re.Rune, class))
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return ofWhole(0)
	case syntax.OpCapture:
		return runOf(re.Sub[0], class)
	case syntax.OpConcat:
		l := ofWhole(0)
		for _, sub := range re.Sub {
			l = l.then(runOf(sub, class))
		}
		return l
	case syntax.OpAlternate:
		l := runOf(re.Sub[0], class)
		for _, sub := range re.Sub[1:] {
			l = l.or(runOf(sub, class))
		}
		return l
	case syntax.OpStar, syntax.OpQuest:
		return runOf(re.Sub[0], class).or(ofWhole(0))
	case syntax.OpPlus:
		return runOf(re.Sub[0], class)
	case syntax.OpRepeat:
		l := ofWhole(0)
		for range re.Min {
			l = l.then(runOf(re.Sub[0], class))
		}
		if re.Max != re.Min {
			l = l.then(runOf(re.Sub[0], class).or(ofWhole(0)))
		}
		return l
	}
	return char(false)
}

func char(of bool) least {
	if of {
		return ofWhole(1)
	}
	return least{}
}

func (l least) then(next least) least {
	out := least{whole: l.whole && next.whole, pre: l.pre, post: next.post, any: max(l.any, next.any, l.post+next.pre)}
	if l.whole {
		out.pre += next.pre
	}
	if next.whole {
		out.post += l.post
	}
	return out
}

func (l least) or(other least) least {
	return least{l.whole && other.whole, min(l.pre, other.pre), min(l.post, other.post), min(l.any, other.any)}
}

func within(ranges []rune, class func(rune) bool) bool {
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1] && r < 0x80; r++ {
			if !class(r) {
				return false
			}
		}
	}
	return true
}
