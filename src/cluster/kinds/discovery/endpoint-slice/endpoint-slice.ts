import type { Endpoint, EndpointPort } from "@tsbuilder/apimachinery/k8s/discovery/v1";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import { eachOf, emptyAsNull, fillIn } from "../../fill-in.ts";
import { endpointSlicesController } from "./controller/endpoint-slices-controller.ts";
import { mirroringController } from "./controller/mirroring-controller.ts";
import { sliceProblems, sliceWarnings } from "./rules.ts";

/** What Go writes of a slice that has none. */
const noLists = { endpoints: null, ports: null };

const endpointSliceStrategy: Partial<Strategy> = {
  default(object) {
    fillIn(object, () => noLists);
    for (const endpoint of eachOf(object, "endpoints")) endpoint["conditions"] ??= {};
    for (const port of eachOf(object, "ports")) fillIn(port, () => ({ name: "", protocol: "TCP" }));
  },
  prepareForCreate(object) {
    emptyAsNull(object, ...Object.keys(noLists));
    dropTopology(object);
  },
  prepareForUpdate(object, old) {
    emptyAsNull(object, ...Object.keys(noLists));
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
};

/** v1 ignores the field of older versions. */
function dropTopology(object: ApiObject): void {
  for (const endpoint of eachOf(object, "endpoints")) delete endpoint["deprecatedTopology"];
}

function firstOf<T>(list: readonly T[] = [], show: (item: T) => string): string {
  const shown = list.map(show);
  if (shown.length > 3) return `${shown.slice(0, 3).join(",")} + ${shown.length - 3} more...`;
  return shown.join(",") || "<unset>";
}

export const endpointSlice: BuiltInKind<"endpointslice" | "endpointslicemirroring"> = {
  resource: "endpointslices.discovery.k8s.io",
  metadataChecks: "new/new/update",
  strategy: endpointSliceStrategy,
  cells: {
    AddressType: text("addressType"),
    Ports: (object) =>
      firstOf(readField<EndpointPort[]>(object, "ports"), ({ port, name }) => String(port ?? name ?? "*")),
    Endpoints: (object) =>
      firstOf(readField<Endpoint[]>(object, "endpoints"), (each) => each.addresses.join(",")),
  },
  emptyObject: noLists,
  controllers: { endpointslice: endpointSlicesController, endpointslicemirroring: mirroringController },
  zeroValues: { addressType: "" },
};
