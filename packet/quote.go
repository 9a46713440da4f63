package packet

// A Meter measures texts the way budgets do. To make one takes a while.
type Meter struct{ m *meter }

// NewMeter returns a meter with the packet's tokenizer.
func NewMeter() (*Meter, error) {
	m, err := newMeter()
	return &Meter{m}, err
}

// Measure returns the length of a text in tokens and in UTF-16 code units.
func (m *Meter) Measure(text string) (tokens, chars int, err error) {
	n, err := m.m.measure(text)
	return n.tokens, n.chars, err
}

// Inline returns a record's text as one line of Markdown of at most about limit
// characters, which can open or close nothing beyond that line.
func Inline(text string, limit int) string { return inline(oneLine(text, limit)) }
