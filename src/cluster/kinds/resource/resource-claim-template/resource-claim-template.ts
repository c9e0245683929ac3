import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { type Fields, fillIn } from "../../fill-in.ts";
import { defaultClaim } from "../default-claim.ts";

const resourceClaimTemplateStrategy: Partial<Strategy> = {
  default(object) {
    const spec = object["spec"] as Fields | undefined;
    fillIn(spec, () => ({ metadata: {}, spec: {} }));
    defaultClaim(spec?.["spec"]);
  },
};

export const resourceClaimTemplate: BuiltInKind = {
  resource: "resourceclaimtemplates.resource.k8s.io",
  strategy: resourceClaimTemplateStrategy,
  emptyObject: { spec: { metadata: {}, spec: { devices: { requests: null } } } },
};
