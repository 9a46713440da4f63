package mcpserver

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// How many items a list has unless told, and at most.
const (
	usualItems = 20
	mostItems  = 100
)

// The arguments of every list.
func listArgs() []arg {
	return []arg{{name: "limit", form: whole, about: "at most 100"}, {name: "cursor", form: text}}
}

// paging is what a call asks of a list.
type paging struct {
	Limit  int    `json:"limit"`
	Cursor string `json:"cursor"`
}

// items is how many items are asked for.
func (p paging) items() (int, error) {
	switch {
	case p.Limit < 0 || p.Limit > mostItems:
		return 0, &argumentError{name: "limit", why: fmt.Sprintf("%d is not within 1 and %d", p.Limit, mostItems)}
	case p.Limit == 0:
		return usualItems, nil
	}
	return p.Limit, nil
}

// offset reads a cursor that counts items.
func (p paging) offset() (int, error) {
	if p.Cursor == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(p.Cursor, "at:"))
	if err != nil || n < 0 || !strings.HasPrefix(p.Cursor, "at:") {
		return 0, p.foreign()
	}
	return n, nil
}

// after reads a cursor that names the last record shown.
func (p paging) after() (records.ID, error) {
	id := records.ID(strings.TrimPrefix(p.Cursor, "after:"))
	if p.Cursor != "" && (!strings.HasPrefix(p.Cursor, "after:") || id.Kind() == "") {
		return "", p.foreign()
	}
	return id, nil
}

func (p paging) foreign() error {
	return &argumentError{name: "cursor", why: "it is none that this call gave: pass next_cursor as it was, or nothing"}
}

// window cuts what a counted list shows of all that it has.
func window[T any](p paging, all []T) ([]T, page, error) {
	limit, err := p.items()
	if err != nil {
		return nil, page{}, err
	}
	from, err := p.offset()
	if err != nil {
		return nil, page{}, err
	}
	rest := all[min(from, len(all)):]
	n, err := fits(rest[:min(limit, len(rest))])
	if err != nil {
		return nil, page{}, err
	}
	if n < len(rest) {
		return rest[:n], page{true, cursorAt(from + n)}, nil
	}
	return rest, page{}, nil
}

func cursorAt(n int) string { return "at:" + strconv.Itoa(n) }

// windowOf is [window] of the first items of a list that may have more.
func windowOf[T any](p paging, some []T, more bool) ([]T, page, error) {
	shown, pg, err := window(p, some)
	if err == nil && more && !pg.Truncated {
		pg = page{true, cursorAt(len(some))}
	}
	return append([]T{}, shown...), pg, err
}
