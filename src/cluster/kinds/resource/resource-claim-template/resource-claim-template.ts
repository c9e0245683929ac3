import type { DeviceClaim, ResourceClaimTemplateSpec } from "@tsbuilder/apimachinery/k8s/resource/v1";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent } from "../../../contract/sent.ts";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { type Fields, fillIn } from "../../fill-in.ts";
import { claimProblems } from "../claim-rules.ts";
import { defaultClaim } from "../default-claim.ts";
import { keptTemplate } from "../kept-spec.ts";

const resourceClaimTemplateStrategy: Partial<Strategy> = {
  returnsDeleted: true,
  default(object) {
    const spec = object["spec"] as Fields | undefined;
    fillIn(spec, () => ({ metadata: {}, spec: {} }));
    defaultClaim(spec?.["spec"]);
  },
  validate: (object) => [...claimProblems("spec.spec.devices", devicesOf(object))],
  validateUpdate: (object, old) => [
    ...claimProblems("spec.spec.devices", devicesOf(object)),
    ...keptTemplate(object["spec"], old["spec"]),
  ],
};

function devicesOf(object: ApiObject): Sent<DeviceClaim> {
  return (object as { spec?: Sent<ResourceClaimTemplateSpec> }).spec?.spec?.devices ?? {};
}

export const resourceClaimTemplate: BuiltInKind = {
  resource: "resourceclaimtemplates.resource.k8s.io",
  metadataChecks: "new/new+update/update",
  strategy: resourceClaimTemplateStrategy,
  emptyObject: { spec: { metadata: {}, spec: { devices: { requests: null } } } },
};
