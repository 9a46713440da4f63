// Package hooks puts git ctx where git calls it: as the merge driver of record
// files, and in git's hooks. It installs, says what is installed, removes, and
// runs its part of a hook.
//
// It owns the lines between its markers, and the keys of the merge driver; every
// other byte of a file it keeps. It refuses to move or replace a user's hook, to
// set core.hooksPath, and to write where other repositories look. Its invariant:
// what was uninstalled has the bytes and the mode it had before.
package hooks
