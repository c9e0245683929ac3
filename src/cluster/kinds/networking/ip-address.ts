import { invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { IPAddressSpec } from "@tsbuilder/apimachinery/k8s/networking/v1";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { ageOf } from "../../registry/format-age.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { checkCanonicalAddress } from "../checks/addresses.ts";
import { type Problems, goStruct, needed, refused, text } from "../checks/problems.ts";
import { checkSegment } from "./ingress-class.ts";

export const ipAddress: BuiltInKind = {
  resource: "ipaddresses.networking.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: {
    // Nothing that is appended to an address leaves it one.
    generateName: (address) => address,
    validateName: checkCanonicalAddress,
    validate: (object) => [...parentProblems(object)],
    validateUpdate: (object, old) => [...parentProblems(object), ...parentChanges(object, old)],
  },
  cells: {
    ParentRef: parentCell,
  },
  cellsWithoutColumn: [({ metadata }, now) => ageOf(metadata.creationTimestamp, now)],
  emptyObject: { spec: {} },
};

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

function* parentChanges({ spec = {} }: IPAddress, { spec: old = {} }: IPAddress): Problems {
  const shown = shownParent(spec);
  if (isEqual(shown, shownParent(old))) return;
  yield invalidStruct("spec.parentRef", shown as object, "field is immutable");
}

/** The message shows the reference as a Go struct. */
function shownParent({ parentRef }: Sent<IPAddressSpec>): object | null {
  return parentRef ? goStruct(parentRef, { group: text, resource: text, namespace: text, name: text }) : null;
}

function parentCell(object: object): string {
  const { parentRef } = (object as IPAddress).spec ?? {};
  if (!parentRef) return "<none>";
  const { group = "", resource = "", namespace = "", name = "" } = parentRef;
  const kind = (group === "" ? resource : `${resource}.${group}`).toLowerCase();
  return [kind, ...(namespace === "" ? [] : [namespace]), name].join("/");
}
