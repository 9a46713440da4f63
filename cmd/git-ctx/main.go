// Command git-ctx is the git plugin git ctx.
package main

import (
	"os"

	"github.com/git-ctx/git-ctx/internal/cli"
)

func main() { os.Exit(cli.Process(cli.OSEnv(), os.Args[1:])) }
