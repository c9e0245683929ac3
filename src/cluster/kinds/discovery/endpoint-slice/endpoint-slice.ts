import type { Endpoint, EndpointPort } from "@tsbuilder/apimachinery/k8s/discovery/v1";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import { eachOf, fillIn } from "../../fill-in.ts";
import { endpointSlicesController } from "./controller/endpoint-slices-controller.ts";

const endpointSliceStrategy: Partial<Strategy> = {
  default(object) {
    for (const endpoint of eachOf(object, "endpoints")) endpoint["conditions"] ??= {};
    for (const port of eachOf(object, "ports")) fillIn(port, () => ({ name: "", protocol: "TCP" }));
  },
};

function listOr<T>(list: readonly T[] | undefined, show: (item: T) => string, absent: string): string {
  if (!list || list.length === 0) return absent;
  const shown = list.map(show);
  return shown.length > 3 ? `${shown.slice(0, 3).join(",")} + ${shown.length - 3} more...` : shown.join(",");
}

export const endpointSlice: BuiltInKind<"endpointslice"> = {
  resource: "endpointslices.discovery.k8s.io",
  strategy: endpointSliceStrategy,
  cells: {
    AddressType: text("addressType"),
    Ports: (object) =>
      listOr(readField<EndpointPort[]>(object, "ports"), ({ port }) => String(port ?? "*"), "<unset>"),
    Endpoints: (object) =>
      listOr(readField<Endpoint[]>(object, "endpoints"), (each) => each.addresses.join(","), "<unset>"),
  },
  controllers: { endpointslice: endpointSlicesController },
};
