import type { RegistryRules } from "../../builtin-resource.ts";

/** Resources that differ from the defaults: no generation, PUT overwrites but never creates, background propagation. */
export const registryRules: Readonly<Record<string, Partial<RegistryRules>>> = {
  ...rule({ hasGeneration: true, allowsUnconditionalUpdate: false }, [
    "admissionregistration.k8s.io/v1 mutatingadmissionpolicies",
    "admissionregistration.k8s.io/v1 mutatingadmissionpolicybindings",
    "admissionregistration.k8s.io/v1 mutatingwebhookconfigurations",
    "admissionregistration.k8s.io/v1 validatingadmissionpolicies",
    "admissionregistration.k8s.io/v1 validatingadmissionpolicybindings",
    "admissionregistration.k8s.io/v1 validatingwebhookconfigurations",
    "apiextensions.k8s.io/v1 customresourcedefinitions",
    "policy/v1 poddisruptionbudgets",
  ]),
  ...rule({ hasGeneration: true }, [
    "apps/v1 daemonsets",
    "apps/v1 deployments",
    "apps/v1 replicasets",
    "apps/v1 statefulsets",
    "batch/v1 cronjobs",
    "discovery.k8s.io/v1 endpointslices",
    "flowcontrol.apiserver.k8s.io/v1 flowschemas",
    "flowcontrol.apiserver.k8s.io/v1 prioritylevelconfigurations",
    "networking.k8s.io/v1 ingresses",
    "networking.k8s.io/v1 ingressclasses",
    "networking.k8s.io/v1 networkpolicies",
    "resource.k8s.io/v1 deviceclasses",
    "resource.k8s.io/v1 resourceslices",
    "scheduling.k8s.io/v1 priorityclasses",
    "v1 pods",
    "v1 podtemplates",
  ]),
  ...rule({ hasGeneration: true, defaultPropagation: "Orphan" }, [
    "batch/v1 jobs",
    "v1 replicationcontrollers",
  ]),
  ...rule({ allowsUnconditionalUpdate: false }, [
    "apiregistration.k8s.io/v1 apiservices",
    "storage.k8s.io/v1 csidrivers",
    "storage.k8s.io/v1 csinodes",
    "storage.k8s.io/v1 csistoragecapacities",
    "storage.k8s.io/v1 volumeattachments",
  ]),
  ...rule({ allowsUnconditionalUpdate: false, allowsCreateOnUpdate: true }, [
    "coordination.k8s.io/v1 leases",
    "node.k8s.io/v1 runtimeclasses",
  ]),
  ...rule({ allowsCreateOnUpdate: true }, [
    "rbac.authorization.k8s.io/v1 clusterrolebindings",
    "rbac.authorization.k8s.io/v1 clusterroles",
    "rbac.authorization.k8s.io/v1 rolebindings",
    "rbac.authorization.k8s.io/v1 roles",
    "v1 endpoints",
    "v1 limitranges",
    "v1 services",
  ]),
  ...rule({ allowsCreateOnUpdate: true, defaultPropagation: "Unsupported" }, [
    "events.k8s.io/v1 events",
    "v1 events",
  ]),
};

/** Fields that field selectors support besides `metadata.name` and `metadata.namespace`. */
export const fieldSelectors: Readonly<Record<string, readonly string[]>> = {
  "batch/v1 jobs": ["status.successful"],
  "certificates.k8s.io/v1 certificatesigningrequests": ["spec.signerName"],
  "events.k8s.io/v1 events": [
    "regarding.kind",
    "regarding.namespace",
    "regarding.name",
    "regarding.uid",
    "regarding.apiVersion",
    "regarding.resourceVersion",
    "regarding.fieldPath",
    "reason",
    "reportingController",
    "type",
  ],
  "resource.k8s.io/v1 resourceslices": ["spec.nodeName", "spec.driver"],
  "v1 events": [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  "v1 namespaces": ["status.phase"],
  "v1 nodes": ["spec.unschedulable"],
  "v1 pods": [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
  ],
  "v1 replicationcontrollers": ["status.replicas"],
  "v1 secrets": ["type"],
  "v1 services": ["spec.clusterIP", "spec.type"],
};

/** Resources whose objects are stored under another group or version that serves the same objects. */
export const sharedStorage: Readonly<Record<string, string>> = {
  "autoscaling/v1 horizontalpodautoscalers": "autoscaling/v2",
  "events.k8s.io/v1 events": "v1",
};

function rule(
  rules: Partial<RegistryRules>,
  resources: readonly string[],
): Record<string, Partial<RegistryRules>> {
  return Object.fromEntries(resources.map((resource) => [resource, rules]));
}
