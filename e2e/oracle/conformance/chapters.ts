import type { Story } from "./story.ts";
import { apiServices } from "./stories/api-services.ts";
import { autoscalerVersions } from "./stories/autoscaler-versions.ts";
import { autoscalers } from "./stories/autoscalers.ts";
import { bindingStories } from "./stories/bindings.ts";
import { bookmarks } from "./stories/bookmarks.ts";
import { bootstrapRoles } from "./stories/bootstrap-roles.ts";
import { byteFields } from "./stories/byte-fields.ts";
import { certificateRules } from "./stories/certificate-rules.ts";
import { clientSuites } from "./stories/client-suites.ts";
import { create } from "./stories/create.ts";
import { customResources } from "./stories/custom-resources.ts";
import { customVersions } from "./stories/custom-versions.ts";
import { definitionRules } from "./stories/definition-rules.ts";
import { definitionUpdates } from "./stories/definition-updates.ts";
import { deletion } from "./stories/deletion.ts";
import { deviceRules } from "./stories/device-rules.ts";
import { emptyValues } from "./stories/empty-values.ts";
import { errors } from "./stories/errors.ts";
import { flowControl } from "./stories/flow-control.ts";
import { found } from "./stories/found.ts";
import { jobRules } from "./stories/job-rules.ts";
import { lifecycles } from "./stories/lifecycles.ts";
import { limits } from "./stories/limits.ts";
import { lists } from "./stories/lists.ts";
import { metadataRules } from "./stories/metadata-rules.ts";
import { mutatingPolicies } from "./stories/mutating-policies.ts";
import { nullValues } from "./stories/null-values.ts";
import { oddRequests } from "./stories/odd-requests.ts";
import { oddWrites } from "./stories/odd-writes.ts";
import { patchMessages } from "./stories/patch-messages.ts";
import { partialObjectStories } from "./stories/partial-objects.ts";
import { patches } from "./stories/patches.ts";
import { podContainers } from "./stories/pod-containers.ts";
import { podPlacement } from "./stories/pod-placement.ts";
import { podVolumes } from "./stories/pod-volumes.ts";
import { podSecurity } from "./stories/pod-security.ts";
import { representations } from "./stories/representations.ts";
import { reviews } from "./stories/reviews.ts";
import { roleEscalation } from "./stories/role-escalation.ts";
import { selectableFields } from "./stories/selectable-fields.ts";
import { serverSideApply } from "./stories/server-side-apply.ts";
import { serviceRules } from "./stories/service-rules.ts";
import { shards } from "./stories/shards.ts";
import { staleValues } from "./stories/stale-values.ts";
import { statusFirst } from "./stories/status-first.ts";
import { statusMetadata } from "./stories/status-metadata.ts";
import { tables } from "./stories/tables.ts";
import { updates } from "./stories/updates.ts";
import { policyExpressions } from "./stories/policy-expressions.ts";
import { policyParams } from "./stories/policy-params.ts";
import { policyRules } from "./stories/policy-rules.ts";
import { validatingPolicies } from "./stories/validating-policies.ts";
import { volumeRules } from "./stories/volume-rules.ts";
import { watches } from "./stories/watches.ts";
import { webhookRules } from "./stories/webhook-rules.ts";
import { workloadRules } from "./stories/workload-rules.ts";
import { workloads } from "./stories/workloads.ts";
import { writtenNumbers } from "./stories/written-numbers.ts";

/** All stories by the file that holds their recorded answers. */
export const chapters: Readonly<Record<string, readonly Story[]>> = {
  create,
  updates,
  patches,
  "server-side-apply": serverSideApply,
  deletion,
  lists,
  watches,
  shards,
  "empty-values": emptyValues,
  errors,
  "custom-resources": customResources,
  workloads,
  "partial-objects": partialObjectStories,
  "client-suites": clientSuites,
  "pod-containers": podContainers,
  "pod-volumes": podVolumes,
  "pod-placement": podPlacement,
  "workload-rules": workloadRules,
  "job-rules": jobRules,
  "service-rules": serviceRules,
  tables,
  "selectable-fields": selectableFields,
  "definition-rules": definitionRules,
  "definition-updates": definitionUpdates,
  "webhook-rules": webhookRules,
  "role-escalation": roleEscalation,
  bookmarks,
  "bootstrap-roles": bootstrapRoles,
  "odd-requests": oddRequests,
  "odd-writes": oddWrites,
  "stale-values": staleValues,
  "status-first": statusFirst,
  "status-metadata": statusMetadata,
  "metadata-rules": metadataRules,
  bindings: bindingStories,
  "null-values": nullValues,
  "custom-versions": customVersions,
  representations,
  reviews,
  "volume-rules": volumeRules,
  limits,
  "pod-security": podSecurity,
  "validating-policies": validatingPolicies,
  "policy-rules": policyRules,
  "policy-expressions": policyExpressions,
  "policy-params": policyParams,
  "mutating-policies": mutatingPolicies,
  "api-services": apiServices,
  "autoscaler-versions": autoscalerVersions,
  autoscalers,
  "flow-control": flowControl,
  "certificate-rules": certificateRules,
  "device-rules": deviceRules,
  "byte-fields": byteFields,
  "written-numbers": writtenNumbers,
  "patch-messages": patchMessages,
  lifecycles,
  found,
};
