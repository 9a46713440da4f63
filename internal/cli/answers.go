package cli

import "github.com/git-ctx/git-ctx/internal/query"

// jsonFormat is the version of every JSON answer's shape.
const jsonFormat = query.AnswerFormat

// What JSON answers are made of is the questions': other front ends give the same.
type (
	recordLine  = query.Line
	changedJSON = query.Changed
)
