package records

import "strings"

// QuestionKey folds a decision's question so that two spellings of one question
// compare equal; "" is no question.
func QuestionKey(q string) string {
	return strings.Join(strings.Fields(Normalize(q)), " ")
}
