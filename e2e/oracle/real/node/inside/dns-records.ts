import type { Reader } from "@tsbuilder/runtime";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { EndpointSlice } from "@tsbuilder/runtime/k8s/discovery/v1";
import { clusterDomain, nodeAddress } from "../addresses.ts";
import { packageRegistry } from "../package-registry.ts";
import type { Answer } from "./dns-message.ts";

/** Names of Services and of the pods behind them, by the rules of Kubernetes' DNS specification; undefined if unknown. */
export async function resolveName(client: Reader, name: string): Promise<readonly Answer[] | undefined> {
  const suffix = `.svc.${clusterDomain}`;
  if (name.endsWith(".in-addr.arpa")) return reverse(client, name);
  // The only name outside: `inside/main.ts` passes its connections on.
  if (name === packageRegistry.host) return [{ type: "A", name, address: nodeAddress }];
  if (!name.endsWith(suffix)) return undefined;
  const labels = name.slice(0, -suffix.length).split(".");
  const [service = "", namespace = ""] = labels.slice(-2);
  const found = await client.find(Service, { namespace, name: service });
  if (!found || labels.length < 2) return undefined;
  const { type, externalName = "", clusterIP, ports = [] } = found.spec ?? {};
  const before = labels.slice(0, -2);
  if (type === "ExternalName") return [{ type: "CNAME", name, target: externalName }];
  const full = `${service}.${namespace}${suffix}`;
  if (clusterIP !== "None") {
    if (before.length === 0) return [{ type: "A", name, address: clusterIP! }];
    const port = ports.find((each) => isPort(before, each));
    return port && [{ type: "SRV", name, port: port.port, target: full }];
  }
  const endpoints = await endpointsOf(client, namespace, service);
  if (before.length === 2) {
    const answers = endpoints.flatMap(({ host, ports: open }) =>
      open
        .filter((each) => isPort(before, each))
        .map(({ port }) => ({ type: "SRV", name, port: port!, target: `${host}.${full}` }) as const),
    );
    return answers.length > 0 ? answers : undefined;
  }
  const wanted = before.length === 0 ? endpoints : endpoints.filter(({ host }) => host === before[0]);
  if (wanted.length === 0) return before.length === 0 ? [] : undefined;
  return wanted.map(({ address }) => ({ type: "A", name, address }));
}

interface Endpoint {
  readonly host: string;
  readonly address: string;
  readonly ports: readonly {
    readonly name?: string | undefined;
    readonly port?: number | undefined;
    readonly protocol?: string | undefined;
  }[];
}

/** The ready endpoints of a Service; one without a host name is called by its address. */
async function endpointsOf(client: Reader, namespace: string, service: string): Promise<Endpoint[]> {
  const labels = { "kubernetes.io/service-name": service };
  const slices = await client.list(EndpointSlice, { namespace, labels });
  return slices.flatMap(({ endpoints = [], ports = [] }) =>
    endpoints
      .filter(({ conditions }) => conditions?.ready !== false)
      .map(({ addresses, hostname }) => ({
        address: addresses[0]!,
        host: hostname ?? addresses[0]!.replaceAll(".", "-"),
        ports: [...(ports ?? [])],
      })),
  );
}

/** True for a question about `_name._protocol`. */
function isPort(
  labels: readonly string[],
  {
    name = "",
    protocol = "TCP",
  }: { readonly name?: string | undefined; readonly protocol?: string | undefined },
): boolean {
  return labels.join(".") === `_${name}._${protocol.toLowerCase()}`;
}

async function reverse(client: Reader, name: string): Promise<readonly Answer[] | undefined> {
  const address = name.slice(0, -".in-addr.arpa".length).split(".").toReversed().join(".");
  const answer = (...labels: readonly string[]): Answer => ({
    type: "PTR",
    name,
    target: [...labels, "svc", clusterDomain].join("."),
  });
  const services = await client.list(Service);
  const service = services.find(({ spec }) => spec?.clusterIP === address);
  if (service) return [answer(service.metadata.name, service.metadata.namespace)];
  const slices = await client.list(EndpointSlice);
  for (const { metadata, endpoints = [] } of slices) {
    const endpoint = endpoints.find(({ addresses, hostname }) => hostname && addresses.includes(address));
    const owner = metadata.labels?.["kubernetes.io/service-name"];
    if (endpoint && owner) return [answer(endpoint.hostname!, owner, metadata.namespace)];
  }
  return undefined;
}
