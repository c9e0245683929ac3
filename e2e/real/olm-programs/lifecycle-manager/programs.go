//go:build programs

// OLM v0, whose own dependencies contradict those of opm's libraries.
package programs

import (
	_ "github.com/operator-framework/operator-lifecycle-manager/cmd/catalog"
	_ "github.com/operator-framework/operator-lifecycle-manager/cmd/olm"
)
