const meta = "k8s.io/apimachinery/pkg/apis/meta/v1";

/** A small package of API types. Two modules, so that nothing is downloaded: one with the kinds, one in place of Kubernetes'. */
export const goFiles = {
  "go.mod": `module example.com/shop

go 1.24.0

require k8s.io/apimachinery v0.0.0

replace k8s.io/apimachinery => ./apimachinery
`,
  "apimachinery/go.mod": "module k8s.io/apimachinery\n\ngo 1.24.0\n",
  "apimachinery/pkg/apis/meta/v1/types.go": `package v1

type TypeMeta struct{}
type ObjectMeta struct{}
type Time struct{}
`,
  "common/common.go": `package common

// Port is a port.
// +kubebuilder:validation:Maximum=65535
type Port int

// Level marshals itself.
type Level struct{ level int }

func (l Level) MarshalText() ([]byte, error) { return nil, nil }
`,
  "api/v1/doc.go": `// Package v1 has shops.
// +groupName=example.com
package v1
`,
  "api/v1/shop.go": `package v1

import (
	"example.com/shop/common"
	meta "${meta}"
)

// +kubebuilder:resource:scope=Cluster,shortName=sh

// Shop sells.
type Shop struct {
	meta.TypeMeta   \`json:",inline"\`
	meta.ObjectMeta \`json:"metadata,omitempty"\`

	Spec ShopSpec \`json:"spec"\`
}

// +kubebuilder:validation:Enum=open;closed
type State string

const Open State = "open"

type Base struct {
	// +optional
	Name string \`json:"name"\`
}

type Names = []string

//go:generate nothing
type ShopSpec struct {
	// +kubebuilder:validation:XValidation:rule="self.name != 'x'"
	Base \`json:",inline"\`

	// State of the shop, see @state.
	State State \`json:"state,omitempty"\` // behind the code
	Ports map[string][]common.Port \`json:"ports,omitzero"\`
	Level *common.Level \`json:"level"\`
	Data  []byte \`json:"data,omitempty"\`
	Since *meta.Time \`json:"since,omitempty"\`
	Names Names \`json:"a-b,omitempty"\`
	Secret string \`json:"-"\`
	Hidden string
	/* A block.
	+kubebuilder:validation:MinLength=3 */
	Block string \`json:"block"\`
}
`,
};

/** Its types in TypeScript. */
export const typescriptFiles = {
  "types/example.com/shop/common/common.ts": `/** +kubebuilder:validation:Type=integer */
export type integer = number;

/**
 * Port is a port.
 * +kubebuilder:validation:Maximum=65535
 */
export type Port = integer;

/** Level marshals itself. */
export type Level = string;
`,
  "api/example.com/shop/api/v1/shop_types.ts": `import { type KubernetesObject, type Time, defineKind } from "@tsbuilder/runtime";
import type * as shopcommon from "../../../../../types/example.com/shop/common/common.ts";

/** +kubebuilder:validation:Format=byte */
export type bytes = string;

/** +kubebuilder:resource:scope=Cluster,shortName=sh */

/** Shop sells. */
export interface Shop extends KubernetesObject {
  spec: ShopSpec;
}

export type State = "open" | "closed";

export interface Base {
  /** +optional */
  name: string;
}

export type Names = string[];

/** +kubebuilder:validation:XValidation:rule="self.name != 'x'" */
export interface ShopSpec extends Base {
  // State of the shop, see @state.
  state?: State;
  ports?: Record<string, shopcommon.Port[]>;
  level: shopcommon.Level;
  data?: bytes;
  since?: Time;
  "a-b"?: Names;
  /** A block. */
  block: string;
}

export const Open: State = "open";

export const Shop = defineKind<Shop>({ group: "example.com", version: "v1" }, { kind: "Shop", plural: "shops", scope: "Cluster" });
`,
};
