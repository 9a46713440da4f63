package records

import "golang.org/x/text/unicode/norm"

// A sink takes a value as a stream of events. The record is encoded once, by
// [Record.put], into whichever form the sink makes: YAML, values or JSON.
type sink interface {
	openMap()
	key(name string) // the next value belongs to it
	closeMap()
	openSeq()
	closeSeq()
	text(s string)               // a string of any content
	plain(t ValueType, s string) // a number, instant, boolean or null, spelled out
}

func nfc(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return norm.NFC.String(s)
		}
	}
	return s
}

// putText writes a text field unless it is empty.
func putText[S ~string](e sink, name string, s S) {
	if s != "" {
		e.key(name)
		e.text(string(s))
	}
}

// putTexts writes a sequence of texts in its order, unless it is empty.
func putTexts[S ~string](e sink, name string, ss []S) {
	if len(ss) == 0 {
		return
	}
	e.key(name)
	e.openSeq()
	for _, s := range ss {
		e.text(string(s))
	}
	e.closeSeq()
}
