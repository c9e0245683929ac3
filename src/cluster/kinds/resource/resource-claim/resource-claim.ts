import type { DeviceClaim, ResourceClaimSpec } from "@tsbuilder/apimachinery/k8s/resource/v1";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent } from "../../../contract/sent.ts";
import type { Strategy } from "../../../registry/resource.ts";
import type { Store } from "../../../storage/store.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField } from "../../cells/read-field.ts";
import { adminAccess } from "../admin-access.ts";
import { claimProblems } from "../claim-rules.ts";
import { defaultClaim } from "../default-claim.ts";
import { keptClaim } from "../kept-spec.ts";

const resourceClaimStrategy = (store: Store): Partial<Strategy> => ({
  returnsDeleted: true,
  default(object) {
    object["spec"] ??= {};
    defaultClaim(object["spec"]);
    object["status"] ??= {};
  },
  validate: (object) => [
    ...adminAccess(devicesOf(object), object.metadata.namespace!, store),
    ...claimProblems("spec.devices", devicesOf(object)),
  ],
  validateUpdate: (object, old, { subresource }) =>
    subresource === "" ? [...keptClaim(object["spec"], old["spec"])] : [],
});

function devicesOf(object: ApiObject): Sent<DeviceClaim> {
  return (object as { spec?: Sent<ResourceClaimSpec> }).spec?.devices ?? {};
}

function claimState(object: object): string {
  const allocated = readField(object, "status.allocation") !== undefined;
  const deleted = readField(object, "metadata.deletionTimestamp") !== undefined;
  const reserved = allocated && (readField<unknown[]>(object, "status.reservedFor") ?? []).length > 0;
  return [
    ...(deleted ? ["deleted"] : []),
    ...(allocated ? ["allocated"] : deleted ? [] : ["pending"]),
    ...(reserved ? ["reserved"] : []),
  ].join(",");
}

export const resourceClaim: BuiltInKind = {
  resource: "resourceclaims.resource.k8s.io",
  metadataChecks: "new/new+update/update",
  strategy: resourceClaimStrategy,
  cells: { State: claimState },
  emptyObject: { spec: { devices: { requests: null } }, status: {} },
};
