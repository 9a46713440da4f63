package standing

import "github.com/git-ctx/git-ctx/records"

// Of returns the standing of one record. Who asks for many uses an [Evaluator].
func Of(v records.View, id records.ID, c records.EvalContext) records.Standing {
	return NewEvaluator(v, c).Standing(id)
}
