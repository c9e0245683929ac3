import { invalid, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import type { ServiceCIDRSpec } from "@tsbuilder/apimachinery/k8s/networking/v1";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField } from "../cells.ts";
import { checkCanonicalRange, familyOf } from "../checks/addresses.ts";
import { type Problems, each, immutable, refused } from "../checks/problems.ts";
import { emptyStatusStrategy } from "../fill-in.ts";

export const serviceCIDR: BuiltInKind = {
  resource: "servicecidrs.networking.k8s.io",
  strategy: {
    ...emptyStatusStrategy,
    validate: (object) => [...rangeProblems(object)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "" ? [...rangeChanges(object, old)] : [],
  },
  cells: { CIDRs: (object) => (readField<string[]>(object, "spec.cidrs") ?? []).join(",") },
  emptyObject: { spec: {}, status: {} },
};

type ServiceCIDR = ApiObject & { spec?: Sent<ServiceCIDRSpec> };

const field = "spec.cidrs";

/** One range, or one of each IP family. */
function* rangeProblems({ spec = {} }: ServiceCIDR): Problems {
  const { cidrs = [] } = spec;
  if (cidrs.length === 0) return yield required(field, "at least one CIDR required");
  if (cidrs.length > 2) return yield invalidStruct(field, { CIDRs: cidrs }, "may only hold up to 2 values");
  yield* each(field, cidrs, (at, range) => refused(at, range, checkCanonicalRange(range)));
  const [first, second] = cidrs.map(familyOf);
  if (cidrs.length === 2 && first !== undefined && first === second) {
    const detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    yield invalid(field, cidrs, detail);
  }
}

/** An update may only add the range of the second family. */
function* rangeChanges(object: ServiceCIDR, old: ServiceCIDR): Problems {
  const [now, before] = [object.spec?.cidrs ?? [], old.spec?.cidrs ?? []];
  if (now.length === before.length) {
    for (const [index, range] of now.entries()) yield* immutable(`${field}[${index}]`, range, before[index]);
  } else if (before.length === 1 && now.length === 2) {
    yield* immutable(`${field}[0]`, now[0], before[0]);
    yield* rangeProblems(object);
  } else yield* immutable(field, object.spec?.cidrs, before);
}
