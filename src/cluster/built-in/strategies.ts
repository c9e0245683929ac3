import type { BuiltinResource } from "@tsbuilder/apimachinery/kinds";
import type { Strategy } from "../registry/resource.ts";
import type { Store } from "../storage/store.ts";
import { definitionStrategy } from "../kinds/apiextensions/custom-resource-definition/strategy.ts";
import { defaultStrategy, resetNothing, resetStatusAlone } from "../registry/default-strategy.ts";
import {
  mutatingBindingStrategy,
  mutatingPolicyStrategy,
  mutatingWebhooksStrategy,
  validatingBindingStrategy,
  validatingPolicyStrategy,
  validatingWebhooksStrategy,
} from "../kinds/admission-kinds.ts";
import { certificateRequestStrategy } from "../kinds/certificate-request.ts";
import { configMapStrategy, secretStrategy } from "../kinds/config-and-secret.ts";
import {
  csiDriverStrategy,
  resourceClaimStrategy,
  resourceClaimTemplateStrategy,
  storageCapacityStrategy,
  volumeAttachmentStrategy,
} from "../kinds/device-kinds.ts";
import { cronJobStrategy } from "../kinds/batch/cron-job.ts";
import { jobStrategy } from "../kinds/batch/job.ts";
import {
  emptyStatusStrategy,
  flowSchemaStrategy,
  limitRangeStrategy,
  priorityClassStrategy,
  priorityLevelStrategy,
} from "../kinds/limit-kinds.ts";
import {
  apiServiceStrategy,
  endpointSliceStrategy,
  endpointsStrategy,
  ingressClassStrategy,
  networkPolicyStrategy,
} from "../kinds/network-kinds.ts";
import { nodeStrategy } from "../kinds/node.ts";
import {
  eventStrategy,
  ingressStrategy,
  leaseStrategy,
  persistentVolumeStrategy,
  storageClassStrategy,
} from "../kinds/other-kinds.ts";
import { claimStrategy } from "../kinds/persistent-volume-claim.ts";
import { podStrategy } from "../kinds/pod.ts";
import { disruptionBudgetStrategy } from "../kinds/disruption-budget.ts";
import { bindingStrategy, roleStrategy } from "../kinds/rbac.ts";
import { serviceStrategy } from "../kinds/services/service.ts";
import { daemonSetStrategy } from "../kinds/workloads/daemon-set.ts";
import { deploymentStrategy } from "../kinds/workloads/deployment.ts";
import {
  podTemplateStrategy,
  replicaSetStrategy,
  replicationControllerStrategy,
} from "../kinds/workloads/replica-set.ts";
import { statefulSetStrategy } from "../kinds/workloads/stateful-set.ts";
import { findKind } from "./find-kind.ts";
import { namespaceStrategy } from "../kinds/core/namespace/strategy.ts";

/** What kinds do besides the usual, by `plural.group`. */
function specialOf(store: Store): Readonly<Record<string, Partial<Strategy>>> {
  return {
    "namespaces.": namespaceStrategy,
    "nodes.": nodeStrategy,
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
    "certificatesigningrequests.certificates.k8s.io": certificateRequestStrategy,
    "networkpolicies.networking.k8s.io": networkPolicyStrategy,
    "ingresses.networking.k8s.io": ingressStrategy,
    "poddisruptionbudgets.policy": disruptionBudgetStrategy,
    "storageclasses.storage.k8s.io": storageClassStrategy,
    "customresourcedefinitions.apiextensions.k8s.io": definitionStrategy,
    "validatingwebhookconfigurations.admissionregistration.k8s.io": validatingWebhooksStrategy,
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": mutatingWebhooksStrategy,
    "validatingadmissionpolicies.admissionregistration.k8s.io": validatingPolicyStrategy,
    "mutatingadmissionpolicies.admissionregistration.k8s.io": mutatingPolicyStrategy,
    "validatingadmissionpolicybindings.admissionregistration.k8s.io": validatingBindingStrategy,
    "mutatingadmissionpolicybindings.admissionregistration.k8s.io": mutatingBindingStrategy,
    "apiservices.apiregistration.k8s.io": apiServiceStrategy,
    "csidrivers.storage.k8s.io": csiDriverStrategy,
    "csistoragecapacities.storage.k8s.io": storageCapacityStrategy,
    "endpoints.": endpointsStrategy,
    "endpointslices.discovery.k8s.io": endpointSliceStrategy,
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": priorityLevelStrategy,
    "flowschemas.flowcontrol.apiserver.k8s.io": flowSchemaStrategy,
    "ingressclasses.networking.k8s.io": ingressClassStrategy,
    "limitranges.": limitRangeStrategy,
    "podtemplates.": podTemplateStrategy,
    "priorityclasses.scheduling.k8s.io": priorityClassStrategy,
    "resourceclaims.resource.k8s.io": resourceClaimStrategy,
    "resourceclaimtemplates.resource.k8s.io": resourceClaimTemplateStrategy,
    "resourcequotas.": emptyStatusStrategy,
    "servicecidrs.networking.k8s.io": emptyStatusStrategy,
    "volumeattachments.storage.k8s.io": volumeAttachmentStrategy,
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
  const { strategy } = findKind(resource) ?? {};
  const own = typeof strategy === "function" ? strategy(store) : (strategy ?? specialOf(store)[id] ?? {});
  const metadataToo = own.statusWritesMetadata ?? statusWritesMetadata.has(id);
  const hasStatus = subresources.some(({ name }) => name === "status");
  return {
    ...defaultStrategy,
    ...(!hasStatus && { resetFields: resetNothing }),
    ...(metadataToo && { resetFields: resetStatusAlone }),
    createOnUpdate: rules.allowsCreateOnUpdate,
    unconditionalUpdate: rules.allowsUnconditionalUpdate,
    generation: rules.hasGeneration,
    defaultPropagation: rules.defaultPropagation,
    generateName: !namedByClients.has(plural),
    returnsDeleted: returnsDeleted.has(id),
    statusWritesMetadata: metadataToo,
    ...own,
  };
}
