import type { EndpointSubset } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField } from "../../cells/read-field.ts";
import { eachOf } from "../../fill-in.ts";
import { endpointsController } from "./controller/endpoints-controller.ts";
import { endpointsProblems } from "./subsets.ts";

const endpointsStrategy: Partial<Strategy> = {
  default(object) {
    for (const subset of eachOf(object, "subsets")) {
      for (const port of eachOf(subset, "ports")) port["protocol"] ??= "TCP";
    }
  },
  validate: (object) => [...endpointsProblems(object)],
  validateUpdate: (object, old) => [...endpointsProblems(object, old)],
};

function addresses(object: object): string {
  const subsets = readField<EndpointSubset[]>(object, "subsets") ?? [];
  const all = subsets.flatMap(({ addresses = [], ports: list = [] }) =>
    addresses.flatMap(({ ip }) => (list.length === 0 ? [ip] : list.map(({ port }) => `${ip}:${port}`))),
  );
  if (all.length === 0) return "<none>";
  return all.length > 3 ? `${all.slice(0, 3).join(",")} + ${all.length - 3} more...` : all.join(",");
}

export const endpoints: BuiltInKind<"endpoints"> = {
  resource: "endpoints",
  metadataChecks: "new/update+new/update",
  strategy: endpointsStrategy,
  cells: { Endpoints: addresses },
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  controllers: { endpoints: endpointsController },
};
