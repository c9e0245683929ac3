// The built-in kinds by group, each in one file or a few: its declaration with defaults, validation and cells, its controller,
// and rules of its own. Begin with built-in-kind.ts, which says what a kind declares, and a small kind such as
// storage/volume-attachment.ts; checks/ has the rules that kinds share, and apps/workload.ts those of workloads.

import {
  mutatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBinding,
} from "./admissionregistration/policy-bindings.ts";
import {
  mutatingAdmissionPolicy,
  validatingAdmissionPolicy,
} from "./admissionregistration/admission-policies.ts";
import {
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
} from "./admissionregistration/webhook-configurations.ts";
import { customResourceDefinition } from "./apiextensions/custom-resource-definition.ts";
import { apiService } from "./apiregistration/api-service.ts";
import { controllerRevision } from "./apps/controller-revision.ts";
import { daemonSet } from "./apps/daemon-set/daemon-set.ts";
import { deployment } from "./apps/deployment/deployment.ts";
import { replicaSet } from "./apps/replica-set/replica-set.ts";
import { statefulSet } from "./apps/stateful-set/stateful-set.ts";
import { horizontalPodAutoscaler } from "./autoscaling/horizontal-pod-autoscaler.ts";
import { cronJob } from "./batch/cron-job/cron-job.ts";
import { job } from "./batch/job/job.ts";
import { certificateSigningRequest } from "./certificates/certificate-signing-request.ts";
import { clusterTrustBundle } from "./certificates/cluster-trust-bundle.ts";
import { podCertificateRequest } from "./certificates/pod-certificate-request.ts";
import { lease } from "./coordination/lease.ts";
import { configMap, secret } from "./core/config-maps-and-secrets.ts";
import { endpoints } from "./core/endpoints.ts";
import { event, eventOfEventsGroup } from "./core/event.ts";
import { limitRange } from "./core/limit-range.ts";
import { namespace } from "./core/namespace.ts";
import { node } from "./core/node/node.ts";
import { persistentVolumeClaim } from "./core/persistent-volume-claim.ts";
import { persistentVolume } from "./core/persistent-volume/persistent-volume.ts";
import { podTemplate } from "./core/pod-template.ts";
import { pod } from "./core/pod/pod.ts";
import { replicationController } from "./core/replication-controller.ts";
import { resourceQuota } from "./core/resource-quota.ts";
import { serviceAccount } from "./core/service-account.ts";
import { service } from "./core/service/service.ts";
import { endpointSlice } from "./discovery/endpoint-slice.ts";
import { flowSchema } from "./flowcontrol/flow-schema.ts";
import { priorityLevelConfiguration } from "./flowcontrol/priority-level-configuration.ts";
import { ingressClass } from "./networking/ingress-class.ts";
import { ingress } from "./networking/ingress.ts";
import { networkPolicy } from "./networking/network-policy.ts";
import { ipAddress, serviceCIDR } from "./networking/service-addresses.ts";
import { runtimeClass } from "./node/runtime-class.ts";
import { podDisruptionBudget } from "./policy/pod-disruption-budget.ts";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "./rbac/roles-and-bindings.ts";
import { deviceClass, resourceClaim, resourceClaimTemplate } from "./resource/resource-claims.ts";
import { deviceTaintRule } from "./resource/device-taint-rule.ts";
import { resourceSlice } from "./resource/resource-slice.ts";
import { priorityClass } from "./scheduling/priority-class.ts";
import { csiDriver, csiNode, csiStorageCapacity } from "./storage/csi.ts";
import { storageClass, volumeAttributesClass } from "./storage/storage-classes.ts";
import { volumeAttachment } from "./storage/volume-attachment.ts";
import { storageVersionMigration } from "./storagemigration/storage-version-migration.ts";
import type { BuiltInKind } from "./built-in-kind.ts";

/** The built-in kinds that need more than the defaults. To add one, add its folder and its line here. */
export const builtInKinds = [
  mutatingAdmissionPolicyBinding,
  mutatingAdmissionPolicy,
  mutatingWebhookConfiguration,
  validatingAdmissionPolicyBinding,
  validatingAdmissionPolicy,
  validatingWebhookConfiguration,
  customResourceDefinition,
  apiService,
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  statefulSet,
  horizontalPodAutoscaler,
  cronJob,
  job,
  certificateSigningRequest,
  clusterTrustBundle,
  podCertificateRequest,
  lease,
  configMap,
  endpoints,
  event,
  limitRange,
  namespace,
  node,
  persistentVolumeClaim,
  persistentVolume,
  podTemplate,
  pod,
  replicationController,
  resourceQuota,
  secret,
  serviceAccount,
  service,
  endpointSlice,
  eventOfEventsGroup,
  flowSchema,
  priorityLevelConfiguration,
  ingressClass,
  ingress,
  ipAddress,
  networkPolicy,
  serviceCIDR,
  runtimeClass,
  podDisruptionBudget,
  clusterRoleBinding,
  clusterRole,
  roleBinding,
  role,
  deviceClass,
  deviceTaintRule,
  resourceClaimTemplate,
  resourceClaim,
  resourceSlice,
  priorityClass,
  csiDriver,
  csiNode,
  csiStorageCapacity,
  storageVersionMigration,
  storageClass,
  volumeAttachment,
  volumeAttributesClass,
] as const satisfies readonly BuiltInKind<string>[];

type ControllersOf<Kind> = Kind extends BuiltInKind<infer Name> ? Name : never;

/** The name of a controller that belongs to a kind. */
export type KindControllerName = ControllersOf<(typeof builtInKinds)[number]>;
