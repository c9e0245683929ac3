import { ageOf } from "@tsbuilder/apimachinery/text";
import { invalid, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { IPAddressSpec, ServiceCIDRSpec } from "@tsbuilder/apimachinery/k8s/networking/v1";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { checkCanonicalAddress, checkCanonicalRange, familyOf } from "../checks/addresses.ts";
import { toGoStruct } from "../checks/go-struct.ts";
import { type Problems, each, immutable, needed, refused } from "../checks/problems.ts";
import { checkPathSegment } from "../checks/names.ts";
import { readField } from "../cells.ts";

export const serviceCIDR: BuiltInKind = {
  resource: "servicecidrs.networking.k8s.io",
  strategy: {
    validate: (object) => [...cidrProblems(object)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "" ? [...cidrChanges(object, old)] : [],
  },
  cells: { CIDRs: (object) => (readField<string[]>(object, "spec.cidrs") ?? []).join(",") },
};

type ServiceCIDR = ApiObject & { spec?: Sent<ServiceCIDRSpec> };

const cidrsField = "spec.cidrs";

/** Validates the ranges of a ServiceCIDR: one range, or one of each IP family. */
function* cidrProblems({ spec = {} }: ServiceCIDR): Problems {
  const { cidrs = [] } = spec;
  if (cidrs.length === 0) return yield required(cidrsField, "at least one CIDR required");
  if (cidrs.length > 2)
    return yield invalidStruct(cidrsField, { CIDRs: cidrs }, "may only hold up to 2 values");
  yield* each(cidrsField, cidrs, (at, range) => refused(at, range, checkCanonicalRange(range)));
  const [first, second] = cidrs.map(familyOf);
  if (cidrs.length === 2 && first !== undefined && first === second) {
    const detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    yield invalid(cidrsField, cidrs, detail);
  }
}

/** An update may only add the range of the second family. */
function* cidrChanges(object: ServiceCIDR, old: ServiceCIDR): Problems {
  const [now, before] = [object.spec?.cidrs ?? [], old.spec?.cidrs ?? []];
  if (now.length === before.length) {
    for (const [index, range] of now.entries())
      yield* immutable(`${cidrsField}[${index}]`, range, before[index]);
  } else if (before.length === 1 && now.length === 2) {
    yield* immutable(`${cidrsField}[0]`, now[0], before[0]);
    yield* cidrProblems(object);
  } else yield* immutable(cidrsField, object.spec?.cidrs, before);
}

export const ipAddress: BuiltInKind = {
  resource: "ipaddresses.networking.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: {
    // An address with a generated suffix would be no address any more, so generateName becomes the name as it is.
    generateName: (address) => address,
    validateName: checkCanonicalAddress,
    validate: (object) => [...parentProblems(object)],
    validateUpdate: (object, old) => [...parentProblems(object), ...parentChanges(object, old)],
  },
  cells: { ParentRef: parentCell },
  cellsWithoutColumn: [({ metadata }, now) => ageOf(metadata.creationTimestamp, now)],
};

type IPAddress = ApiObject & { spec?: Sent<IPAddressSpec> };

function* parentProblems({ spec = {} }: IPAddress): Problems {
  const field = "spec.parentRef";
  if (!spec.parentRef) return yield required(field);
  const { group, resource, name, namespace } = spec.parentRef;
  if (group) yield* refused(`${field}.group`, group, checkSubdomain(group));
  yield* needed(`${field}.resource`, resource, checkPathSegment);
  yield* needed(`${field}.name`, name, checkPathSegment);
  if (namespace) yield* refused(`${field}.namespace`, namespace, checkPathSegment(namespace));
}

function* parentChanges({ spec = {} }: IPAddress, { spec: old = {} }: IPAddress): Problems {
  const [shown, before] = [spec, old].map(({ parentRef }) =>
    parentRef ? toGoStruct(parentRef, "networking/v1.ParentReference") : null,
  );
  if (!isEqual(shown, before)) yield invalidStruct("spec.parentRef", shown as object, "field is immutable");
}

function parentCell(object: object): string {
  const { parentRef } = (object as IPAddress).spec ?? {};
  if (!parentRef) return "<none>";
  const { group = "", resource = "", namespace = "", name = "" } = parentRef;
  const kind = (group === "" ? resource : `${resource}.${group}`).toLowerCase();
  return [kind, ...(namespace === "" ? [] : [namespace]), name].join("/");
}
