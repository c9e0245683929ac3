import type { GoModule } from "./go-module.ts";

/** An operator whose types are compared, with the options that its own makefile gives to controller-gen. */
export interface Operator extends GoModule {
  readonly name: string;
  readonly generateEmbeddedObjectMeta?: boolean;
}

/**
 * Operators of others, at releases that need no newer Go than the oldest that we build with, and no newer types of
 * Kubernetes than our tables hold.
 */
export const operators: readonly Operator[] = [
  {
    name: "Argo Rollouts",
    module: "github.com/argoproj/argo-rollouts",
    version: "v1.9.0",
    packages: ["pkg/apis/rollouts/v1alpha1"],
  },
  {
    name: "cert-manager",
    module: "github.com/cert-manager/cert-manager",
    version: "v1.21.2",
    packages: ["pkg/apis/certmanager/v1", "pkg/apis/acme/v1"],
  },
  {
    name: "CloudNativePG",
    module: "github.com/cloudnative-pg/cloudnative-pg",
    version: "v1.25.0",
    packages: ["api/v1"],
  },
  {
    name: "Cluster API",
    module: "sigs.k8s.io/cluster-api",
    version: "v1.13.4",
    packages: [
      "api/core/v1beta2",
      "api/bootstrap/kubeadm/v1beta2",
      "api/controlplane/kubeadm/v1beta2",
      "api/addons/v1beta2",
      "api/ipam/v1beta2",
      "api/runtime/v1beta2",
    ],
  },
  {
    name: "External Secrets",
    module: "github.com/external-secrets/external-secrets",
    version: "v0.10.4",
    packages: ["apis/externalsecrets/v1beta1", "apis/externalsecrets/v1alpha1", "apis/generators/v1alpha1"],
  },
  {
    name: "Flux: helm-controller",
    module: "github.com/fluxcd/helm-controller/api",
    version: "v1.3.0",
    packages: ["v2"],
  },
  {
    name: "Flux: kustomize-controller",
    module: "github.com/fluxcd/kustomize-controller/api",
    version: "v1.6.1",
    packages: ["v1"],
  },
  {
    name: "Flux: notification-controller",
    module: "github.com/fluxcd/notification-controller/api",
    version: "v1.6.0",
    packages: ["v1", "v1beta3"],
  },
  {
    name: "Flux: source-controller",
    module: "github.com/fluxcd/source-controller/api",
    version: "v1.6.2",
    packages: ["v1", "v1beta2"],
  },
  {
    name: "Gateway API",
    module: "sigs.k8s.io/gateway-api",
    version: "v1.6.1",
    packages: ["apis/v1", "apis/v1beta1"],
  },
  {
    name: "Karpenter",
    module: "sigs.k8s.io/karpenter",
    version: "v1.12.0",
    packages: ["pkg/apis/v1"],
  },
  {
    name: "KEDA",
    module: "github.com/kedacore/keda/v2",
    version: "v2.20.2",
    packages: ["apis/keda/v1alpha1", "apis/eventing/v1alpha1"],
  },
  {
    name: "Kueue",
    module: "sigs.k8s.io/kueue",
    version: "v0.17.0",
    packages: ["apis/kueue/v1beta1", "apis/kueue/v1beta2"],
  },
  {
    name: "MetalLB",
    module: "go.universe.tf/metallb",
    version: "v0.15.2",
    packages: ["api/v1beta1", "api/v1beta2"],
  },
  {
    name: "Prometheus Operator",
    module: "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring",
    version: "v0.90.1",
    packages: ["v1", "v1alpha1", "v1beta1"],
    generateEmbeddedObjectMeta: true,
  },
  {
    name: "Velero",
    module: "github.com/vmware-tanzu/velero",
    version: "v1.18.3",
    packages: ["pkg/apis/velero/v1", "pkg/apis/velero/v2alpha1"],
  },
];
