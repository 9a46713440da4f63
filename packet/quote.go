package packet

// Inline returns a record's text as one line of Markdown of at most about limit
// characters, which can open or close nothing beyond that line.
func Inline(text string, limit int) string { return inline(oneLine(text, limit)) }
