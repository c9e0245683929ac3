import type { Endpoint, EndpointHints, EndpointPort } from "@tsbuilder/apimachinery/k8s/discovery/v1";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { duplicate, invalid, required, tooMany } from "@tsbuilder/apimachinery/errors";
import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "@tsbuilder/apimachinery/naming";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { untilDeclared } from "../../contract/version.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, text } from "../cells.ts";
import { eachOf, emptyAsNull } from "../fill-in.ts";
import { endpointSlicesController, mirroringController } from "./endpoint-slice-controller.ts";
import { addressWarnings, checkAddress, checkCanonicalAddress, familyOf } from "../checks/addresses.ts";
import { checkReachable } from "../checks/names.ts";
import {
  type Problems,
  choice,
  declaredImmutable,
  refused,
  optionalChoice,
  itemsOf,
} from "../checks/problems.ts";

export const endpointSlice: BuiltInKind<"endpointslice" | "endpointslicemirroring"> = {
  resource: "endpointslices.discovery.k8s.io",
  metadataChecks: { update: ["new"] },
  strategy: {
    prepareForCreate(object) {
      emptyAsNull(object, "endpoints", "ports");
      dropTopology(object);
    },
    prepareForUpdate(object, old) {
      emptyAsNull(object, "endpoints", "ports");
      if (!isEqual(object["endpoints"], old["endpoints"])) dropTopology(object);
    },
    specChanged(object, old) {
      const { metadata, ...rest } = object;
      const { metadata: before, ...oldRest } = old;
      return !isEqual(rest, oldRest) || !isEqual(metadata.labels ?? {}, before.labels ?? {});
    },
    validate: (object) => [...sliceProblems(object)],
    validateUpdate: (object, old) => [...sliceProblems(object, old)],
    warnings: (object, old) => sliceWarnings(object, old),
  },
  cells: {
    AddressType: text("addressType"),
    Ports: (object) =>
      formatCell(readField<EndpointPort[]>(object, "ports"), ({ port, name }) => String(port ?? name ?? "*")),
    Endpoints: (object) =>
      formatCell(readField<Endpoint[]>(object, "endpoints"), (each) => each.addresses.join(",")),
  },
  controllers: { endpointslice: endpointSlicesController, endpointslicemirroring: mirroringController },
};

/** Drops `deprecatedTopology`, a field of v1beta1 that v1 ignores. */
function dropTopology(object: ApiObject): void {
  for (const endpoint of eachOf(object, "endpoints")) delete endpoint["deprecatedTopology"];
}

type EndpointSlice = ApiObject & {
  addressType?: string;
  endpoints?: Sent<Endpoint>[];
  ports?: Sent<EndpointPort>[];
};

/** Ratcheting: unchanged endpoints are not validated again. */
function* sliceProblems(slice: EndpointSlice, old?: EndpointSlice): Problems {
  const { addressType = "" } = slice;
  yield* choice("addressType", addressType, "discovery/v1.EndpointSlice");
  yield* portProblems(slice.ports ?? []);
  if (!old || !isEqual(slice.endpoints ?? [], old.endpoints ?? []))
    yield* endpointProblems(slice.endpoints ?? [], addressType);
  if (old) yield* declaredImmutable("addressType", addressType, old.addressType ?? "");
}

const limits = { addresses: 100, ports: 20_000, endpoints: 1000, hints: 8 };

function* portProblems(ports: readonly Sent<EndpointPort>[]): Problems {
  if (ports.length > limits.ports) return yield tooMany("ports", ports.length, limits.ports);
  for (const [field, { name = "", protocol, appProtocol }, index] of itemsOf("ports", ports)) {
    if (name !== "") yield* refused(`${field}.name`, name, checkLabel(name));
    if (ports.slice(0, index).some((other) => (other.name ?? "") === name))
      yield duplicate(`${field}.name`, name);
    if (protocol === undefined) yield required(`${field}.protocol`);
    else yield* optionalChoice(`${field}.protocol`, protocol, ["SCTP", "TCP", "UDP"]);
    if (appProtocol !== undefined)
      yield* refused(`${field}.appProtocol`, appProtocol, checkQualifiedName(appProtocol));
  }
}

function* endpointProblems(endpoints: readonly Sent<Endpoint>[], addressType: string): Problems {
  if (endpoints.length > limits.endpoints)
    return yield tooMany("endpoints", endpoints.length, limits.endpoints);
  for (const [field, { addresses = [], nodeName, hostname, hints }] of itemsOf("endpoints", endpoints)) {
    const at = `${field}.addresses`;
    if (addresses.length === 0) yield required(at, untilDeclared("must contain at least 1 address"));
    else if (addresses.length > limits.addresses) yield tooMany(at, addresses.length, limits.addresses);
    for (const [position, address] of addresses.entries())
      yield* addressProblems(at, position, address, addressType);
    if (nodeName !== undefined) yield* refused(`${field}.nodeName`, nodeName, checkSubdomain(nodeName));
    if (hostname !== undefined) yield* refused(`${field}.hostname`, hostname, checkLabel(hostname));
    if (hints) yield* hintProblems(`${field}.hints`, hints);
  }
}

function* addressProblems(list: string, index: number, address: string, addressType: string): Problems {
  const field = `${list}[${index}]`;
  if (addressType === "FQDN") return yield* domainProblems(field, address);
  if (addressType !== "IPv4" && addressType !== "IPv6") return;
  const reasons = addressType === "IPv4" ? checkAddress(address) : checkCanonicalAddress(address);
  if (reasons.length > 0) return yield* refused(field, address, reasons);
  // The message names the list, not its item.
  if (`IPv${familyOf(address)}` !== addressType)
    yield invalid(list, address, `must be an ${addressType} address`);
  yield* refused(field, address, checkReachable(address));
}

function* domainProblems(field: string, address: string): Problems {
  if (address === "") return yield required(field);
  const domain = address.replace(/\.$/, "");
  const reasons = checkSubdomain(domain);
  if (reasons.length > 0) return yield invalid(field, domain, reasons.join(","));
  if (!domain.includes("."))
    return yield invalid(field, domain, "should be a domain with at least two segments separated by dots");
  for (const label of domain.split(".")) {
    const wrong = checkLabel(label);
    if (wrong.length > 0) return yield invalid(field, label, wrong.join(","));
  }
}

function* hintProblems(field: string, { forZones = [], forNodes = [] }: Sent<EndpointHints>): Problems {
  for (const [name, hints, check] of [
    ["forZones", forZones, checkLabelValue],
    ["forNodes", forNodes, checkSubdomain],
  ] as const) {
    if (hints.length > limits.hints) return yield tooMany(`${field}.${name}`, hints.length, limits.hints);
    const names = hints.map((hint) => hint.name ?? "");
    for (const [index, each] of names.entries()) {
      const at = `${field}.${name}[${index}].name`;
      if (names.indexOf(each) < index) yield duplicate(at, each);
      yield* refused(at, each, check(each));
    }
  }
}

const managers = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

function* sliceWarnings(slice: EndpointSlice, old?: EndpointSlice): Generator<string, void> {
  if (!old && slice.addressType === "FQDN") yield "spec.addressType: FQDN endpoints are deprecated";
  const manager = slice.metadata.labels?.["endpointslice.kubernetes.io/managed-by"];
  if (manager !== undefined && managers.includes(manager)) return;
  for (const [index, { addresses = [] }] of (slice.endpoints ?? []).entries()) {
    for (const [position, address] of addresses.entries())
      yield* addressWarnings(`endpoints[${index}].addresses[${position}]`, address);
  }
}

function formatCell<T>(list: readonly T[] = [], show: (item: T) => string): string {
  const shown = list.map(show);
  if (shown.length > 3) return `${shown.slice(0, 3).join(",")} + ${shown.length - 3} more...`;
  return shown.join(",") || "<unset>";
}
