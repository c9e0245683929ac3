import { invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { IPAddressSpec } from "@tsbuilder/apimachinery/k8s/networking/v1";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Sent } from "../../contract/sent.ts";
import { ageOf } from "../../registry/format-age.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { checkCanonicalAddress } from "../checks/addresses.ts";
import { needed, type Problems, refused } from "../checks/problems.ts";
import { checkSegment } from "./ingress-class.ts";

type IPAddress = ApiObject & { spec?: Sent<IPAddressSpec> };

function* parentProblems({ spec = {} }: IPAddress): Problems {
  const field = "spec.parentRef";
  if (!spec.parentRef) return yield required(field);
  const { group, resource, name, namespace } = spec.parentRef;
  if (group) yield* refused(`${field}.group`, group, checkSubdomain(group));
  yield* needed(`${field}.resource`, resource, checkSegment);
  yield* needed(`${field}.name`, name, checkSegment);
  if (namespace) yield* refused(`${field}.namespace`, namespace, checkSegment(namespace));
}

/** The message shows the reference as a Go struct. */
function* parentChanges({ spec = {} }: IPAddress, { spec: old = {} }: IPAddress): Problems {
  const shown = structOf(spec);
  if (isEqual(shown, structOf(old))) return;
  yield invalidStruct("spec.parentRef", shown as object, "field is immutable");
}

function structOf({ parentRef }: Sent<IPAddressSpec>) {
  if (!parentRef) return null;
  const { group = "", resource = "", namespace = "", name = "" } = parentRef;
  return { Group: group, Resource: resource, Namespace: namespace, Name: name };
}

function parentCell(object: object): string {
  const { parentRef } = (object as IPAddress).spec ?? {};
  if (!parentRef) return "<none>";
  const { group = "", resource = "", namespace = "", name = "" } = parentRef;
  const kind = (group === "" ? resource : `${resource}.${group}`).toLowerCase();
  return [kind, ...(namespace === "" ? [] : [namespace]), name].join("/");
}

export const ipAddress: BuiltInKind = {
  resource: "ipaddresses.networking.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: {
    // Nothing that is appended to an address leaves it one.
    generateName: (address) => address,
    validateName: checkCanonicalAddress,
    validate: (object) => parentProblems(object),
    validateUpdate: (object, old) => [...parentProblems(object), ...parentChanges(object, old)],
  },
  cells: {
    ParentRef: parentCell,
  },
  cellsWithoutColumn: [({ metadata }, now) => ageOf(metadata.creationTimestamp, now)],
  emptyObject: { spec: {} },
};
