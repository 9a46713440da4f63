// Package ui is how the command line talks to a person: pages in colour, the pager,
// prompts, and the terminal's keys. It knows no command.
package ui
