// Package query holds the questions that the command line, the MCP server and
// the hooks share: over one view of a ledger's records, judged once.
//
// It owns what an option of a question means; it knows no flag and no stream.
// Its invariant: the same options over the same store give the same answer,
// whoever asks.
package query
