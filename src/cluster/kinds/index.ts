import { mutatingAdmissionPolicyBinding } from "./admissionregistration/mutating-admission-policy-binding/mutating-admission-policy-binding.ts";
import { mutatingAdmissionPolicy } from "./admissionregistration/mutating-admission-policy/mutating-admission-policy.ts";
import { mutatingWebhookConfiguration } from "./admissionregistration/mutating-webhook-configuration/mutating-webhook-configuration.ts";
import { validatingAdmissionPolicyBinding } from "./admissionregistration/validating-admission-policy-binding/validating-admission-policy-binding.ts";
import { validatingAdmissionPolicy } from "./admissionregistration/validating-admission-policy/validating-admission-policy.ts";
import { validatingWebhookConfiguration } from "./admissionregistration/validating-webhook-configuration/validating-webhook-configuration.ts";
import { customResourceDefinition } from "./apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { apiService } from "./apiregistration/api-service/api-service.ts";
import { controllerRevision } from "./apps/controller-revision/controller-revision.ts";
import { daemonSet } from "./apps/daemon-set/daemon-set.ts";
import { deployment } from "./apps/deployment/deployment.ts";
import { replicaSet } from "./apps/replica-set/replica-set.ts";
import { statefulSet } from "./apps/stateful-set/stateful-set.ts";
import { selfSubjectReview } from "./authentication/self-subject-review/self-subject-review.ts";
import { tokenReview } from "./authentication/token-review/token-review.ts";
import { localSubjectAccessReview } from "./authorization/local-subject-access-review/local-subject-access-review.ts";
import { selfSubjectAccessReview } from "./authorization/self-subject-access-review/self-subject-access-review.ts";
import { selfSubjectRulesReview } from "./authorization/self-subject-rules-review/self-subject-rules-review.ts";
import { subjectAccessReview } from "./authorization/subject-access-review/subject-access-review.ts";
import { horizontalPodAutoscaler } from "./autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { cronJob } from "./batch/cron-job/cron-job.ts";
import { job } from "./batch/job/job.ts";
import { certificateSigningRequest } from "./certificates/certificate-signing-request/certificate-signing-request.ts";
import { lease } from "./coordination/lease/lease.ts";
import { configMap } from "./core/config-map/config-map.ts";
import { endpoints } from "./core/endpoints/endpoints.ts";
import { event } from "./core/event/event.ts";
import { limitRange } from "./core/limit-range/limit-range.ts";
import { namespace } from "./core/namespace/namespace.ts";
import { node } from "./core/node/node.ts";
import { persistentVolumeClaim } from "./core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolume } from "./core/persistent-volume/persistent-volume.ts";
import { podTemplate } from "./core/pod-template/pod-template.ts";
import { pod } from "./core/pod/pod.ts";
import { replicationController } from "./core/replication-controller/replication-controller.ts";
import { resourceQuota } from "./core/resource-quota/resource-quota.ts";
import { secret } from "./core/secret/secret.ts";
import { serviceAccount } from "./core/service-account/service-account.ts";
import { service } from "./core/service/service.ts";
import { endpointSlice } from "./discovery/endpoint-slice/endpoint-slice.ts";
import { eventOfEventsGroup } from "./events/event/event.ts";
import { flowSchema } from "./flowcontrol/flow-schema/flow-schema.ts";
import { priorityLevelConfiguration } from "./flowcontrol/priority-level-configuration/priority-level-configuration.ts";
import { ingressClass } from "./networking/ingress-class/ingress-class.ts";
import { ingress } from "./networking/ingress/ingress.ts";
import { ipAddress } from "./networking/ip-address/ip-address.ts";
import { networkPolicy } from "./networking/network-policy/network-policy.ts";
import { serviceCIDR } from "./networking/service-cidr/service-cidr.ts";
import { runtimeClass } from "./node/runtime-class/runtime-class.ts";
import { podDisruptionBudget } from "./policy/pod-disruption-budget/pod-disruption-budget.ts";
import { clusterRoleBinding } from "./rbac/cluster-role-binding/cluster-role-binding.ts";
import { clusterRole } from "./rbac/cluster-role/cluster-role.ts";
import { roleBinding } from "./rbac/role-binding/role-binding.ts";
import { role } from "./rbac/role/role.ts";
import { deviceClass } from "./resource/device-class/device-class.ts";
import { resourceClaimTemplate } from "./resource/resource-claim-template/resource-claim-template.ts";
import { resourceClaim } from "./resource/resource-claim/resource-claim.ts";
import { resourceSlice } from "./resource/resource-slice/resource-slice.ts";
import { priorityClass } from "./scheduling/priority-class/priority-class.ts";
import { csiDriver } from "./storage/csi-driver/csi-driver.ts";
import { csiNode } from "./storage/csi-node/csi-node.ts";
import { csiStorageCapacity } from "./storage/csi-storage-capacity/csi-storage-capacity.ts";
import { storageClass } from "./storage/storage-class/storage-class.ts";
import { volumeAttachment } from "./storage/volume-attachment/volume-attachment.ts";
import { volumeAttributesClass } from "./storage/volume-attributes-class/volume-attributes-class.ts";
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
  selfSubjectReview,
  tokenReview,
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  horizontalPodAutoscaler,
  cronJob,
  job,
  certificateSigningRequest,
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
  resourceClaimTemplate,
  resourceClaim,
  resourceSlice,
  priorityClass,
  csiDriver,
  csiNode,
  csiStorageCapacity,
  storageClass,
  volumeAttachment,
  volumeAttributesClass,
] as const satisfies readonly BuiltInKind<string>[];

type ControllersOf<Kind> = Kind extends BuiltInKind<infer Name> ? Name : never;

/** The name of a controller that belongs to a kind. */
export type KindControllerName = ControllersOf<(typeof builtInKinds)[number]>;
