//go:build programs

// Keeps `go mod tidy` from dropping what is built, and never imported.
package main

import _ "github.com/operator-framework/operator-registry/cmd/opm"
