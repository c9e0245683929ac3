import type { BuiltinResource } from "@tsbuilder/apimachinery/kinds";
import type { Strategy } from "../resource.ts";
import type { Store } from "../../storage/store.ts";
import { definitionStrategy } from "./custom-resource-definition.ts";
import { defaultStrategy, resetNothing } from "./default-strategy.ts";
import { configMapStrategy, secretStrategy } from "./kinds/config-and-secret.ts";
import { cronJobStrategy, jobStrategy } from "./kinds/jobs.ts";
import {
  autoscalerStrategy,
  disruptionBudgetStrategy,
  eventStrategy,
  ingressStrategy,
  leaseStrategy,
  networkPolicyStrategy,
  persistentVolumeStrategy,
  storageClassStrategy,
} from "./kinds/other-kinds.ts";
import { claimStrategy } from "./kinds/persistent-volume-claim.ts";
import { podStrategy } from "./kinds/pod.ts";
import { bindingStrategy, roleStrategy } from "./kinds/rbac.ts";
import { serviceStrategy } from "./kinds/service.ts";
import {
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  replicationControllerStrategy,
  statefulSetStrategy,
} from "./kinds/workloads.ts";
import { namespaceStrategy } from "./namespace.ts";

/** What kinds do besides the usual, by `plural.group`. */
function specialOf(store: Store): Readonly<Record<string, Partial<Strategy>>> {
  return {
    "namespaces.": namespaceStrategy,
    "nodes.": { resetFields: resetNothing },
    "pods.": podStrategy,
    "services.": serviceStrategy(store),
    "configmaps.": configMapStrategy,
    "secrets.": secretStrategy,
    "persistentvolumeclaims.": claimStrategy,
    "persistentvolumes.": persistentVolumeStrategy,
    "replicationcontrollers.": replicationControllerStrategy,
    "events.": eventStrategy,
    "events.events.k8s.io": eventStrategy,
    "deployments.apps": deploymentStrategy,
    "replicasets.apps": replicaSetStrategy,
    "statefulsets.apps": statefulSetStrategy,
    "daemonsets.apps": daemonSetStrategy,
    "jobs.batch": jobStrategy,
    "cronjobs.batch": cronJobStrategy,
    "leases.coordination.k8s.io": leaseStrategy,
    "networkpolicies.networking.k8s.io": networkPolicyStrategy,
    "ingresses.networking.k8s.io": ingressStrategy,
    "poddisruptionbudgets.policy": disruptionBudgetStrategy,
    "horizontalpodautoscalers.autoscaling": autoscalerStrategy,
    "storageclasses.storage.k8s.io": storageClassStrategy,
    "customresourcedefinitions.apiextensions.k8s.io": definitionStrategy,
    "roles.rbac.authorization.k8s.io": roleStrategy,
    "clusterroles.rbac.authorization.k8s.io": roleStrategy,
    "rolebindings.rbac.authorization.k8s.io": bindingStrategy,
    "clusterrolebindings.rbac.authorization.k8s.io": bindingStrategy,
  };
}

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

/** Kinds whose DELETE answers the object. */
const returnsDeleted = new Set([
  "pods.",
  "services.",
  "serviceaccounts.",
  "persistentvolumes.",
  "persistentvolumeclaims.",
  "podtemplates.",
  "resourcequotas.",
]);

/** Kinds that give no names of their own. */
const namedByClients = new Set(["apiservices", "customresourcedefinitions", "ipaddresses"]);

/** The strategy of a built-in kind: the usual one, the rules of the tables, and what is special. */
export function strategyOf(resource: BuiltinResource, store: Store): Strategy {
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
    returnsDeleted: returnsDeleted.has(id),
    statusWritesMetadata: statusWritesMetadata.has(id),
    ...specialOf(store)[id],
  };
}
