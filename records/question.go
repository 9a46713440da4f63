package records

import "strings"

// QuestionKey folds a decision's question so that two spellings of one question
// compare equal; "" is not a question.
func QuestionKey(q string) string {
	return strings.Join(strings.Fields(Normalize(q)), " ")
}
