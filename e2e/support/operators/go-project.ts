import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A kubebuilder project in Go with a kind, a reconciler, a validator, and manifests as controller-gen writes them. */
export const goProject: Readonly<Record<string, string>> = {
  PROJECT: `domain: example.com
layout:
- go.kubebuilder.io/v4
projectName: shop
repo: example.com/shop
resources:
- api:
    crdVersion: v1
    namespaced: true
  controller: true
  domain: example.com
  group: store
  kind: Shop
  path: example.com/shop/api/v1
  version: v1
  webhooks:
    validation: true
    webhookVersion: v1
version: "3"
`,
  "go.mod": `module example.com/shop

go 1.24.0

require (
	k8s.io/api v0.34.0
	k8s.io/apimachinery v0.34.0
	sigs.k8s.io/controller-runtime v0.22.0
)
`,
  "hack/boilerplate.go.txt": "/*\nCopyright YEAR The shop authors.\n*/\n",
  "api/v1/groupversion_info.go": `// Package v1 has shops.
// +kubebuilder:object:generate=true
// +groupName=store.example.com
package v1

import "k8s.io/apimachinery/pkg/runtime/schema"

var GroupVersion = schema.GroupVersion{Group: "store.example.com", Version: "v1"}
`,
  "api/v1/shop_types.go": `package v1

import (
	"example.com/shop/internal/shared"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Size says how large a shop is.
// +kubebuilder:validation:Enum=Small;Large
type Size string

const (
	// SizeSmall is a corner shop.
	SizeSmall Size = "Small"
	SizeLarge Size = "Large"
)

// ShopSpec is the desired state of Shop.
type ShopSpec struct {
	shared.Owner \`json:",inline"\`

	// Size of the shop.
	// +kubebuilder:default=Small
	// +optional
	Size Size \`json:"size,omitempty"\`

	// Replicas of the shop.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Replicas *int32 \`json:"replicas,omitempty"\`

	// +optional
	Storage *resource.Quantity \`json:"storage,omitempty"\`
	// +optional
	Port *intstr.IntOrString \`json:"port,omitempty"\`
	// +optional
	Prices map[string]int64 \`json:"prices,omitempty"\`
	// +optional
	PullPolicy corev1.PullPolicy \`json:"pullPolicy,omitempty"\`
	// +kubebuilder:validation:XValidation:rule="self.all(x, x.name != 'x')",message="x is taken"
	// +listType=atomic
	// +optional
	Secrets []corev1.LocalObjectReference \`json:"secrets,omitempty"\`
}

// ShopStatus is the observed state of Shop.
type ShopStatus struct {
	// +optional
	Opened *metav1.Time \`json:"opened,omitempty"\`
	// +optional
	Conditions []metav1.Condition \`json:"conditions,omitempty"\`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=sh
// +kubebuilder:printcolumn:name="Size",type=string,JSONPath=\`.spec.size\`

// Shop sells things.
type Shop struct {
	metav1.TypeMeta   \`json:",inline"\`
	metav1.ObjectMeta \`json:"metadata,omitempty"\`

	Spec   ShopSpec   \`json:"spec,omitempty"\`
	Status ShopStatus \`json:"status,omitempty"\`
}

// +kubebuilder:object:root=true

// ShopList has shops.
type ShopList struct {
	metav1.TypeMeta \`json:",inline"\`
	metav1.ListMeta \`json:"metadata,omitempty"\`
	Items           []Shop \`json:"items"\`
}
`,
  "internal/shared/owner.go": `package shared

// Owner is whom a thing belongs to.
type Owner struct {
	// Owner is a name, such as a@example.com. */
	Owner string \`json:"owner"\`
}
`,
  "internal/controller/shop_controller.go": `package controller

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	storev1 "example.com/shop/api/v1"
)

type ShopReconciler struct {
	client.Client
}

// +kubebuilder:rbac:groups=store.example.com,resources=shops,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch

func (r *ShopReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, nil
}

func (r *ShopReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&storev1.Shop{}).
		Owns(&appsv1.Deployment{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.bySecret)).
		Complete(r)
}
`,
  "internal/webhook/v1/shop_webhook.go": `package v1

// +kubebuilder:webhook:path=/validate-store-example-com-v1-shop,mutating=false,failurePolicy=ignore,sideEffects=None,groups=store.example.com,resources=shops,verbs=create,versions=v1,name=vshop-v1.kb.io,admissionReviewVersions=v1

// ShopValidator validates shops.
type ShopValidator struct{}
`,
  Makefile: "manifests:\n\tcontroller-gen rbac:roleName=manager-role crd:maxDescLen=0 webhook paths=./...\n",
  "config/crd/bases/store.example.com_shops.yaml": `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.23.0
  name: shops.store.example.com
spec:
  group: store.example.com
  names:
    kind: Shop
    listKind: ShopList
    plural: shops
    shortNames:
    - sh
    singular: shop
  scope: Namespaced
  versions:
  - additionalPrinterColumns:
    - jsonPath: .spec.size
      name: Size
      type: string
    name: v1
    schema:
      openAPIV3Schema:
        properties:
          apiVersion:
            type: string
          kind:
            type: string
          metadata:
            type: object
          spec:
            properties:
              owner:
                type: string
              port:
                anyOf:
                - type: integer
                - type: string
                x-kubernetes-int-or-string: true
              prices:
                additionalProperties:
                  format: int64
                  type: integer
                type: object
              pullPolicy:
                type: string
              replicas:
                format: int32
                minimum: 0
                type: integer
              secrets:
                items:
                  properties:
                    name:
                      default: ""
                      type: string
                  type: object
                  x-kubernetes-map-type: atomic
                type: array
                x-kubernetes-list-type: atomic
                x-kubernetes-validations:
                - message: x is taken
                  rule: self.all(x, x.name != 'x')
              size:
                default: Small
                enum:
                - Small
                - Large
                type: string
              storage:
                anyOf:
                - type: integer
                - type: string
                pattern: ^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$
                x-kubernetes-int-or-string: true
            required:
            - owner
            type: object
          status:
            properties:
              conditions:
                items:
                  properties:
                    lastTransitionTime:
                      format: date-time
                      type: string
                    message:
                      maxLength: 32768
                      type: string
                    observedGeneration:
                      format: int64
                      minimum: 0
                      type: integer
                    reason:
                      maxLength: 1024
                      minLength: 1
                      pattern: ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$
                      type: string
                    status:
                      enum:
                      - "True"
                      - "False"
                      - Unknown
                      type: string
                    type:
                      maxLength: 316
                      pattern: ^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$
                      type: string
                  required:
                  - lastTransitionTime
                  - message
                  - reason
                  - status
                  - type
                  type: object
                type: array
              opened:
                format: date-time
                type: string
            type: object
        type: object
    served: true
    storage: true
    subresources:
      status: {}
`,
  "config/rbac/role.yaml": `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: manager-role
rules:
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [deployments]
  verbs: [create, get, list, update, watch]
- apiGroups: [store.example.com]
  resources: [shops]
  verbs: [get, list, watch]
`,
  "config/rbac/auditor_role.yaml": `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: auditor
rules: []
`,
  "config/samples/store_v1_shop.yaml": `apiVersion: store.example.com/v1
kind: Shop
metadata:
  name: corner
spec:
  owner: ann
`,
  "config/manager/manager.yaml": `apiVersion: apps/v1
kind: Deployment
metadata:
  name: controller-manager
  namespace: system
spec:
  template:
    spec:
      containers:
      - name: manager
        args: [--leader-elect, --verbose]
        env:
        - name: CURRENCY
          value: EUR
`,
  "config/webhook/manifests.yaml": `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: validating-webhook-configuration
webhooks:
- admissionReviewVersions: [v1]
  clientConfig:
    service:
      name: webhook-service
      namespace: system
      path: /validate-store-example-com-v1-shop
  failurePolicy: Ignore
  name: vshop-v1.kb.io
  rules:
  - apiGroups: [store.example.com]
    apiVersions: [v1]
    operations: [CREATE]
    resources: [shops]
  sideEffects: None
`,
};

/** Writes files below a folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
