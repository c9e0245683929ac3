import type { ResourceClaimTemplateSpec } from "@tsbuilder/apimachinery/k8s/resource/v1";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent } from "../../../contract/sent.ts";
import type { Strategy } from "../../../registry/resource.ts";
import type { Store } from "../../../storage/store.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import type { Problems } from "../../checks/problems.ts";
import { templateMetadata } from "../../checks/template-metadata.ts";
import { type Fields, fillIn } from "../../fill-in.ts";
import { adminAccess } from "../admin-access.ts";
import { claimProblems } from "../claim-rules.ts";
import { defaultClaim } from "../default-claim.ts";
import { keptTemplate } from "../kept-spec.ts";

type ClaimTemplate = ApiObject & { spec?: Sent<ResourceClaimTemplateSpec> };

const resourceClaimTemplateStrategy = (store: Store): Partial<Strategy> => ({
  returnsDeleted: true,
  default(object) {
    const spec = object["spec"] as Fields | undefined;
    fillIn(spec, () => ({ metadata: {}, spec: {} }));
    defaultClaim(spec?.["spec"]);
  },
  validate: (object: ClaimTemplate) => [
    ...adminAccess(object.spec?.spec?.devices ?? {}, object.metadata.namespace!, store),
    ...problems(object),
  ],
  validateUpdate: (object, old) => [...problems(object), ...keptTemplate(object["spec"], old["spec"])],
});

function* problems(object: ClaimTemplate): Problems {
  yield* templateMetadata("spec.metadata", object.spec?.metadata);
  yield* claimProblems("spec.spec.devices", object.spec?.spec?.devices ?? {});
}

export const resourceClaimTemplate: BuiltInKind = {
  resource: "resourceclaimtemplates.resource.k8s.io",
  metadataChecks: "new/new+update/update",
  strategy: resourceClaimTemplateStrategy,
  emptyObject: { spec: { metadata: {}, spec: { devices: { requests: null } } } },
};
