import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { invalid, required } from "@tsbuilder/apimachinery/errors";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { checkLabel, checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField } from "../cells.ts";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import type { Stored, ApiObject, Sent } from "../../contract/api-object.ts";
import { type Service, pods, services } from "../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import type { PodEndpoint, EndpointPort } from "./service/pod-endpoints.ts";
import { targetRefOf, hostnameOf, podEndpoints, selectsPods } from "./service/pod-endpoints.ts";
import { checkAddress } from "../checks/addresses.ts";
import { checkPort, checkReachable } from "../checks/names.ts";
import { type Problems, checked, choice, each, ifSet, itemsOf, refused } from "../checks/problems.ts";

export const endpoints: BuiltInKind<"endpoints"> = {
  resource: "endpoints",
  metadataChecks: { update: ["update", "new"] },
  strategy: {
    validate: (object) => [...endpointsProblems(object)],
    validateUpdate: (object, old) => [...endpointsProblems(object, old)],
  },
  cells: { Endpoints: addressCell },
  controllers: { endpoints: endpointsController },
};

export type Endpoints = Stored<core.Endpoints>;

export const endpointsResource: ResourceName<Endpoints> = "endpoints";

/** Validates Endpoints. Subsets that an update leaves as they are may be invalid. */
function* endpointsProblems(object: ApiObject, old?: ApiObject): Problems {
  const { subsets = [] } = object as Sent<core.Endpoints>;
  if (old && isEqual(old["subsets"] ?? [], subsets)) return;
  yield* each("subsets", subsets, subsetProblems);
}

function* subsetProblems(field: string, subset: Sent<core.EndpointSubset>): Problems {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  if (addresses.length + notReadyAddresses.length === 0) {
    yield required(field, "must specify `addresses` or `notReadyAddresses`");
  }
  yield* each(`${field}.addresses`, addresses, addressProblems);
  yield* each(`${field}.notReadyAddresses`, notReadyAddresses, addressProblems);
  for (const [at, item] of itemsOf(`${field}.ports`, ports)) yield* portProblems(at, item, ports.length > 1);
}

function* addressProblems(
  field: string,
  { ip = "", hostname, nodeName }: Sent<core.EndpointAddress>,
): Problems {
  const malformed = checkAddress(ip);
  yield* refused(`${field}.ip`, ip, malformed);
  yield* ifSet(`${field}.hostname`, hostname, checkLabel);
  yield* checked(`${field}.nodeName`, nodeName, checkSubdomain);
  // Leading zeros are no obstacle to the server's second parser.
  const isUnreadable = malformed.some((reason) => reason.startsWith("must be a valid IP address"));
  if (isUnreadable) yield invalid(`${field}.ip`, ip, "must be a valid IP address");
  else if (malformed.length === 0) yield* checked(`${field}.ip`, ip, checkReachable);
}

function* portProblems(field: string, sent: Sent<core.EndpointPort>, needsName: boolean): Problems {
  const { name = "", port: number = 0, protocol, appProtocol } = sent;
  if (name !== "") yield* checked(`${field}.name`, name, checkLabel);
  else if (needsName) yield required(`${field}.name`);
  yield* checked(`${field}.port`, number, checkPort);
  yield* choice(`${field}.protocol`, protocol, "core/v1.EndpointPort");
  yield* checked(`${field}.appProtocol`, appProtocol, checkQualifiedName);
}

function addressCell(object: object): string {
  const subsets = readField<core.EndpointSubset[]>(object, "subsets") ?? [];
  const all = subsets.flatMap(({ addresses = [], ports: list = [] }) =>
    addresses.flatMap(({ ip }) => (list.length === 0 ? [ip] : list.map(({ port }) => `${ip}:${port}`))),
  );
  if (all.length === 0) return "<none>";
  return all.length > 3 ? `${all.slice(0, 3).join(",")} + ${all.length - 3} more...` : all.join(",");
}

export type EndpointAddress = Stored<core.EndpointAddress>;

const user = userOf("endpoint");

/** Lists the addresses of the pods behind each Service with a selector in an Endpoints object. */
function endpointsController({ objects }: ControllerContext): Controller {
  return {
    watches: [services, pods, endpointsResource],

    /**
     * A pod whose labels changed may have left a Service, so it enqueues all Services of its namespace. The controller
     * leaves Endpoints alone that never had a Service.
     */
    keysOf({ resource, object }) {
      if (resource === pods) return objects.list(services, object.metadata.namespace).map(keyOf);
      const isLeft =
        resource === endpointsResource && !findByKey(objects, services, keyOf(object)) && !isManaged(object);
      return isLeft ? [] : [keyOf(object)];
    },

    async reconcile(key) {
      const service = findByKey(objects, services, key);
      if (service && selectsPods(service)) await write(service);
      else if (!service) await remove(key);
      return undefined;
    },
  };

  async function write(service: Service): Promise<void> {
    const found = podEndpoints(service, objects.list(pods, service.metadata.namespace));
    const wanted = newEndpoints(service, found);
    const current = objects.get(endpointsResource, service.metadata.namespace, service.metadata.name!);
    if (!current) await objects.create(user, wanted);
    else if (
      !isEqual(current.subsets, wanted.subsets) ||
      !isEqual(current.metadata.labels, wanted.metadata.labels)
    ) {
      const { subsets: _, ...rest } = current;
      const metadata = { ...current.metadata, labels: wanted.metadata.labels! };
      await objects.update(user, { ...rest, metadata, ...(wanted.subsets && { subsets: wanted.subsets }) });
    }
  }

  /** Endpoints have no owner reference: those with the name of a deleted Service are deleted, even if a user wrote them. */
  async function remove(key: string): Promise<void> {
    const current = findByKey(objects, endpointsResource, key);
    if (current) await objects.delete(user, current, { uid: current.metadata.uid });
  }
}

function newEndpoints(service: Service, found: readonly PodEndpoint[]): Endpoints {
  const { name, namespace, labels } = service.metadata;
  // EndpointSlices have a terminating condition; in Endpoints a terminating pod can only be omitted.
  const staying = service.spec.publishNotReadyAddresses
    ? found
    : found.filter(({ pod }) => !pod.metadata.deletionTimestamp);
  const subsets = packSubsets(staying).map(({ endpoints, ports }) => {
    const addresses = endpoints
      .filter(({ ready }) => ready)
      .map((endpoint) => endpointAddress(service, endpoint));
    const notReady = endpoints
      .filter(({ ready }) => !ready)
      .map((endpoint) => endpointAddress(service, endpoint));
    return {
      ...(addresses.length > 0 ? { addresses } : {}),
      ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}),
      ...(ports.length > 0 ? { ports } : {}),
    };
  });
  const headless = service.spec.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {};
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      name: name!,
      namespace: namespace!,
      labels: { ...labels, ...headless, "endpoints.kubernetes.io/managed-by": "endpoint-controller" },
    },
    ...(subsets.length > 0 ? { subsets } : {}),
  };
}

interface PackedSubset {
  readonly endpoints: readonly PodEndpoint[];
  readonly ports: EndpointPort[];
}

/** Ports with the same pods share a subset; a Service without ports has one subset of all pods. */
function packSubsets(found: readonly PodEndpoint[]): PackedSubset[] {
  const byPort = new Map<string, { port: EndpointPort | undefined; endpoints: PodEndpoint[] }>();
  for (const endpoint of found) {
    for (const port of endpoint.ports.length > 0 ? endpoint.ports : [undefined]) {
      const key = JSON.stringify(port ?? null);
      const group = byPort.get(key);
      if (group) group.endpoints.push(endpoint);
      else byPort.set(key, { port, endpoints: [endpoint] });
    }
  }
  const subsets = new Map<string, PackedSubset>();
  for (const { port, endpoints } of byPort.values()) {
    const key = endpoints.map(({ pod }) => pod.metadata.uid).join();
    const same = subsets.get(key);
    if (same && port) same.ports.push(port);
    else if (!same) subsets.set(key, { endpoints, ports: port ? [port] : [] });
  }
  return [...subsets.values()];
}

function endpointAddress(service: Service, { pod, address }: PodEndpoint): EndpointAddress {
  return {
    ip: address,
    ...hostnameOf(pod, service),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: targetRefOf(pod),
  };
}

function isManaged({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller";
}
