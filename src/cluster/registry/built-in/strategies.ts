import type { BuiltinResource } from "@tsbuilder/apimachinery/kinds";
import type { Strategy } from "../resource.ts";
import { pathSegmentName } from "../validate-name.ts";
import { definitionStrategy } from "./custom-resource-definition.ts";
import { defaultStrategy, resetNothing } from "./default-strategy.ts";
import { namespaceStrategy } from "./namespace.ts";

const rbac: Partial<Strategy> = { validateName: pathSegmentName };

/** What kinds do besides the usual, by `plural.group`. */
const special: Readonly<Record<string, Partial<Strategy>>> = {
  "namespaces.": namespaceStrategy,
  "nodes.": { resetFields: resetNothing },
  "customresourcedefinitions.apiextensions.k8s.io": definitionStrategy,
  "roles.rbac.authorization.k8s.io": rbac,
  "rolebindings.rbac.authorization.k8s.io": rbac,
  "clusterroles.rbac.authorization.k8s.io": rbac,
  "clusterrolebindings.rbac.authorization.k8s.io": rbac,
};

/** Kinds of old whose /status writes labels and annotations too. */
const statusWritesMetadata = new Set([
  "pods.",
  "nodes.",
  "namespaces.",
  "services.",
  "persistentvolumes.",
  "persistentvolumeclaims.",
  "replicationcontrollers.",
  "resourcequotas.",
  "daemonsets.apps",
  "replicasets.apps",
  "statefulsets.apps",
  "deployments.apps",
  "jobs.batch",
  "cronjobs.batch",
  "ingresses.networking.k8s.io",
  "horizontalpodautoscalers.autoscaling",
  "poddisruptionbudgets.policy",
  "certificatesigningrequests.certificates.k8s.io",
  "customresourcedefinitions.apiextensions.k8s.io",
]);

/** Kinds that give no names of their own. */
const namedByClients = new Set(["apiservices", "customresourcedefinitions", "ipaddresses"]);

/** The strategy of a built-in kind: the usual one, the rules of the tables, and what is special. */
export function strategyOf(resource: BuiltinResource): Strategy {
  const { group, plural, rules, subresources } = resource;
  const id = `${plural}.${group}`;
  const hasStatus = subresources.some(({ name }) => name === "status");
  return {
    ...defaultStrategy,
    ...(!hasStatus && { resetFields: resetNothing }),
    createOnUpdate: rules.allowsCreateOnUpdate,
    unconditionalUpdate: rules.allowsUnconditionalUpdate,
    generation: rules.hasGeneration,
    defaultPropagation: rules.defaultPropagation,
    generateName: !namedByClients.has(plural),
    statusWritesMetadata: statusWritesMetadata.has(id),
    ...special[id],
  };
}
