import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField } from "../../cells/read-field.ts";
import { defaultClaim } from "../default-claim.ts";

const resourceClaimStrategy: Partial<Strategy> = {
  default(object) {
    object["spec"] ??= {};
    defaultClaim(object["spec"]);
    object["status"] ??= {};
  },
};

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
  strategy: resourceClaimStrategy,
  cells: { State: claimState },
  emptyObject: { spec: { devices: { requests: null } }, status: {} },
};
