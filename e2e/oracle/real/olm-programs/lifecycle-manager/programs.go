//go:build programs

// OLM v0, whose own dependencies contradict those of opm's libraries. The file keeps `go mod tidy` from dropping what is
// built, and never imported.
package programs

import (
	_ "github.com/operator-framework/operator-lifecycle-manager/cmd/catalog"
	_ "github.com/operator-framework/operator-lifecycle-manager/cmd/olm"
)
