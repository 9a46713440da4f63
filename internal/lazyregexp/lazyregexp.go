// Package lazyregexp compiles regular expressions when they are first used:
// a command that matches none must not pay for all at its start.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is a regular expression to be compiled at its first use. It is safe
// for concurrent use.
type Regexp struct{ compiled func() *regexp.Regexp }

// New returns a lazy regular expression. One that does not compile panics at
// its first use, so every one is to be used by a test.
func New(expr string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// MatchString is as in package regexp.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// FindString is as in package regexp.
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

// FindStringIndex is as in package regexp.
func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

// FindStringSubmatch is as in package regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindAllStringSubmatch is as in package regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString is as in package regexp.
func (r *Regexp) ReplaceAllString(src, repl string) string {
	return r.compiled().ReplaceAllString(src, repl)
}

// ReplaceAllStringFunc is as in package regexp.
func (r *Regexp) ReplaceAllStringFunc(src string, f func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(src, f)
}

// Split is as in package regexp.
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }

// FindStringSubmatchIndex is as in package regexp.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}
