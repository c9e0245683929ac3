import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Endpoints,
} from "@tsbuilder/apimachinery/k8s/core/v1";
import { invalid, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { checkLabel, checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { Strategy } from "../../registry/resource.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField } from "../cells.ts";
import { eachOf } from "../fill-in.ts";
import { endpointsController } from "./endpoints-controller.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Sent } from "../../contract/sent.ts";
import { checkAddress } from "../checks/addresses.ts";
import { checkPort, checkReachable } from "../checks/names.ts";
import { type Problems, checked, choice, each, ifSet, itemsOf, refused } from "../checks/problems.ts";

const endpointsStrategy: Partial<Strategy> = {
  default(object) {
    for (const subset of eachOf(object, "subsets")) {
      for (const port of eachOf(subset, "ports")) port["protocol"] ??= "TCP";
    }
  },
  validate: (object) => [...endpointsProblems(object)],
  validateUpdate: (object, old) => [...endpointsProblems(object, old)],
};

/** Validates Endpoints. Subsets that an update leaves as they are may be invalid. */
function* endpointsProblems(object: ApiObject, old?: ApiObject): Problems {
  const { subsets = [] } = object as Sent<Endpoints>;
  if (old && isEqual(old["subsets"] ?? [], subsets)) return;
  yield* each("subsets", subsets, subsetProblems);
}

function* subsetProblems(field: string, subset: Sent<EndpointSubset>): Problems {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  if (addresses.length + notReadyAddresses.length === 0) {
    yield required(field, "must specify `addresses` or `notReadyAddresses`");
  }
  yield* each(`${field}.addresses`, addresses, address);
  yield* each(`${field}.notReadyAddresses`, notReadyAddresses, address);
  for (const [at, item] of itemsOf(`${field}.ports`, ports)) yield* port(at, item, ports.length > 1);
}

function* address(field: string, { ip = "", hostname, nodeName }: Sent<EndpointAddress>): Problems {
  const malformed = checkAddress(ip);
  yield* refused(`${field}.ip`, ip, malformed);
  yield* ifSet(`${field}.hostname`, hostname, checkLabel);
  yield* checked(`${field}.nodeName`, nodeName, checkSubdomain);
  // Leading zeros are no obstacle to the server's second parser.
  const isUnreadable = malformed.some((reason) => reason.startsWith("must be a valid IP address"));
  if (isUnreadable) yield invalid(`${field}.ip`, ip, "must be a valid IP address");
  else if (malformed.length === 0) yield* checked(`${field}.ip`, ip, checkReachable);
}

function* port(field: string, sent: Sent<EndpointPort>, needsName: boolean): Problems {
  const { name = "", port: number = 0, protocol, appProtocol } = sent;
  if (name !== "") yield* checked(`${field}.name`, name, checkLabel);
  else if (needsName) yield required(`${field}.name`);
  yield* checked(`${field}.port`, number, checkPort);
  yield* choice(`${field}.protocol`, protocol, "core/v1.EndpointPort");
  yield* checked(`${field}.appProtocol`, appProtocol, checkQualifiedName);
}

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
  metadataChecks: { update: ["update", "new"] },
  strategy: endpointsStrategy,
  cells: { Endpoints: addresses },
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  controllers: { endpoints: endpointsController },
};
