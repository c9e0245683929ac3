// Reaches containers and their ports: logs, exec, attach, port-forward and the proxies of pods, Services and nodes.
// This file finds where a request goes, most often to a kubelet; `forward.ts` passes it on, byte by byte. Pods on the
// nodes that are only pretended have no containers, and say so.

import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { type FieldError, forbidden, invalid, notSupported } from "@tsbuilder/apimachinery/errors";
import type { Stored } from "../../contract/api-object.ts";
import { denied } from "../../contract/authorizer.ts";
import {
  StatusError,
  badRequest,
  internalError,
  invalidObject,
  notFound,
  qualifiedName,
} from "../../contract/status-error.ts";
import { type Reply, type RequestContext, isTrue } from "../../http/request-context.ts";
import { asksForWebSocket, subprotocolsOf, webSocketReply } from "../../http/web-socket.ts";
import { hasKubelet } from "../../kinds/core/node/fake-node.ts";
import { type Target, writeOf } from "../target.ts";
import { type Destination, asksForUpgrade, forward, replyOf } from "./forward.ts";
import { replyOfPage } from "./proxied-pages.ts";

type Pod = Stored<core.Pod>;
type Node = Stored<core.Node>;

/** The subresources that need running containers, each with the end of the message where none run. */
const withoutContainers: Readonly<Record<string, string>> = {
  log: "has no logs",
  exec: "can't run commands",
  attach: "has no process to attach to",
  portforward: "has no ports to forward",
  proxy: "can't be connected to",
};

/** Returns true for a subresource whose requests are passed on to a node. */
export function isConnect(subresource: string): boolean {
  return Object.hasOwn(withoutContainers, subresource);
}

/** Passes a request on to the container, port or kubelet that its path names. */
export async function handleConnect(context: RequestContext, target: Target): Promise<Reply> {
  if (target.subresource === "log") return sendLog(context, target);
  if (target.subresource === "proxy") return proxy(context, target);
  // A WebSocket starts with a GET, which must not give what only `create` allows.
  const attributes = { ...context.info, verb: "create" };
  const { allowed, reason } = target.core.authorizer.decide(target.user, attributes);
  if (!allowed) throw denied(target.user, attributes, reason);
  await admit(context, target);
  const pod = findPod(target, target.name);
  const container = target.subresource === "portforward" ? "" : `/${containerOf(context, pod)}`;
  const node = nodeOfPod(target, pod);
  if (!node) throw badRequest(`pod ${target.name} does not have a host assigned`);
  if (!asksForUpgrade(context)) throw badRequest("Upgrade request required");
  const path = target.subresource === "portforward" ? "portForward" : target.subresource;
  const url = kubeletURL(target, node, `/${path}/${target.namespace}/${target.name}${container}`);
  for (const [name, value] of streamParameters(context)) url.searchParams.append(name, value);
  return dial(context, target, { url, tls: target.core.kubelets });
}

/** Asks admission, whose webhooks may have rules for the operation CONNECT. */
async function admit(context: RequestContext, target: Target): Promise<void> {
  const { admission } = target.core;
  const { kind = "" } = target.subresourceInfo?.body ?? {};
  const options = { ...readOptions(context.query), kind, apiVersion: "v1", metadata: {} };
  const write = {
    ...writeOf(context, target, "CreateOptions"),
    operation: "CONNECT",
    oldObject: undefined,
  } as const;
  const object = await admission.mutate({ ...write, object: options });
  await admission.validate({ ...write, object });
}

/** Reads the options in a query as the types of Go's structs. */
function readOptions(query: URLSearchParams): Record<string, unknown> {
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      if (["stdin", "stdout", "stderr", "tty"].includes(name)) return [name, isTrue(values[0]!)];
      if (name === "command") return [name, values];
      return [name, name === "ports" ? values.flatMap((each) => each.split(",").map(Number)) : values[0]];
    }),
  );
}

/** Translates the options of exec, attach and port-forward into those of kubelets. */
function* streamParameters({ query }: RequestContext): Generator<[string, string]> {
  for (const [option, parameter] of [
    ["stdin", "input"],
    ["stdout", "output"],
    ["stderr", "error"],
    ["tty", "tty"],
  ] as const)
    if (isTrue(query.get(option))) yield [parameter, "1"];
  for (const word of query.getAll("command")) yield ["command", word];
  const ports = query.getAll("ports");
  if (ports.length > 0) yield ["port", ports.join(",")];
}

/** Passes the stream of a container's log on. A pod without a node has none. */
async function sendLog(context: RequestContext, target: Target): Promise<Reply> {
  const { name, namespace } = target;
  const problems = [...logProblems(context.query)];
  const subject = { group: "", plural: "pods/log", kind: "PodLogOptions" };
  if (problems.length > 0) throw invalidObject(subject, name, problems);
  const pod = findPod(target, name);
  const container = containerOf(context, pod);
  const node = nodeOfPod(target, pod);
  if (!node) return { code: 204 };
  const url = kubeletURL(target, node, `/containerLogs/${namespace}/${name}/${container}`);
  for (const option of ["follow", "previous", "timestamps"])
    if (isTrue(context.query.get(option))) url.searchParams.set(option, "true");
  for (const option of ["sinceSeconds", "sinceTime", "tailLines", "limitBytes", "stream"]) {
    const value = context.query.get(option);
    if (value !== null) url.searchParams.set(option, value);
  }
  const { client, ca, ...rest } = target.core.kubelets!;
  const isUnverified = isTrue(context.query.get("insecureSkipTLSVerifyBackend"));
  const tls = { ...rest, client, ...(ca !== undefined && !isUnverified && { ca }) };
  const { response } = await forward(context, target.core, { url, tls, isOwn: true }).catch(
    (error: Error) => {
      throw internalError(`Get "${url.href}": ${error.message}`);
    },
  );
  const { statusCode = 0 } = response;
  if (statusCode !== 200) throw logError(statusCode, await text(response), name);
  if (asksForWebSocket(context)) return sendMessages(context, response);
  return { ...replyOf({ response }), contentType: "text/plain" };
}

/** Sends a log by WebSocket: in binary messages, or in texts of base64. An empty one at once says that it was opened. */
function sendMessages(context: RequestContext, log: IncomingMessage): Promise<Reply> {
  const asked = subprotocolsOf(context);
  const subprotocol = asked.find((name) => ["binary.k8s.io", "base64.binary.k8s.io"].includes(name));
  if (!subprotocol && asked.length > 0) {
    log.destroy();
    throw new StatusError(403, "Forbidden", `no subprotocol of ${asked.join(", ")} is supported`);
  }
  const isText = subprotocol?.startsWith("base64.") ?? false;
  const split = (part: Buffer): (Buffer | string)[] => [isText ? part.toString("base64") : part];
  return webSocketReply(context, { subprotocol, split }, (messages) => {
    messages.write(Buffer.alloc(0));
    pipeline(log, messages).catch(() => undefined);
  });
}

function* logProblems(query: URLSearchParams): Generator<FieldError> {
  const numberOf = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
  const [tail, limit, since] = [numberOf("tailLines"), numberOf("limitBytes"), numberOf("sinceSeconds")];
  if (tail !== undefined && tail < 0) yield invalid("tailLines", tail, "must be greater than or equal to 0");
  if (limit !== undefined && limit < 1) yield invalid("limitBytes", limit, "must be greater than 0");
  if (since !== undefined && query.has("sinceTime")) {
    yield forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified");
  } else if (since !== undefined && since < 1) yield invalid("sinceSeconds", since, "must be greater than 0");
  const stream = query.get("stream") ?? "All";
  if (!logStreams.includes(stream)) yield notSupported("stream", stream, logStreams);
  if (stream !== "All" && tail !== undefined)
    yield forbidden("", "`tailLines` and specific `stream` are mutually exclusive for now");
}

const logStreams = ["All", "Stderr", "Stdout"];

/** The error of a kubelet that has no log to give. */
function logError(code: number, message: string, name: string): StatusError {
  if (code === 400) return badRequest(message);
  if (code === 500) return internalError(message);
  const what = code === 404 ? "the server could not find the requested resource" : message;
  const details = { name, kind: "pods/log" };
  return new StatusError(code, code === 404 ? "NotFound" : undefined, `${what} ( pods/log ${name})`, details);
}

/** Returns the container that a request is about: the only one, unless it names another. */
function containerOf({ query }: RequestContext, { metadata, spec }: Pod): string {
  const container = query.get("container") ?? "";
  const all = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  const names = all.map(({ name }) => name);
  if (container !== "") {
    if (names.includes(container)) return container;
    throw badRequest(`container ${container} is not valid for pod ${metadata.name}`);
  }
  const [first, second] = spec.containers;
  if (first && !second) return first.name;
  const choices = `choose one of: [${names.join(" ")}]`;
  throw badRequest(`a container name must be specified for pod ${metadata.name}, ${choices}`);
}

function findPod({ core, namespace }: Target, name: string): Pod {
  const stored = core.store.collection("pods").get(`${namespace}/${name}`);
  if (!stored) throw notFound({ group: "", plural: "pods", kind: "Pod" }, name);
  return stored.object as unknown as Pod;
}

/** Returns the node of a pod, if it has one. Throws if containers don't run there, or nowhere in the cluster. */
function nodeOfPod(target: Target, { spec }: Pod): Node | undefined {
  const nodes = target.core.store.collection("nodes");
  const node = nodes.get(spec.nodeName ?? "")?.object as unknown as Node | undefined;
  const isReal = spec.nodeName
    ? hasKubelet(node)
    : nodes.list().some(({ object }) => hasKubelet(object as unknown as Node));
  if (!isReal || !target.core.kubelets) throw noContainers(target);
  return node;
}

/** Explains to `kubectl logs`, `exec`, `cp`, `attach`, `port-forward` and `proxy` why there is no container. */
function noContainers({ resource, name, subresource }: Target): StatusError {
  const what = `so ${resource.singular} ${JSON.stringify(name)} ${withoutContainers[subresource]!}`;
  const instead = "use a cluster with nodes, such as kind";
  return badRequest(`containers don't run in the embedded cluster, ${what}: ${instead}`);
}

/** The types of addresses by which kube-apiserver looks for a node. */
const defaultTypes = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

function kubeletURL({ core: { kubelets } }: Target, node: Node, path: string): URL {
  const { addresses = [], daemonEndpoints } = node.status ?? {};
  for (const type of kubelets?.addressTypes ?? defaultTypes) {
    const found = addresses.find((each) => each.type === type);
    if (found) return new URL(path, origin("https", found.address, daemonEndpoints!.kubeletEndpoint!.Port));
  }
  throw internalError(`no preferred addresses found; known addresses: ${JSON.stringify(addresses)}`);
}

function origin(scheme: string, host: string, port: number | string): string {
  const shown = isIP(host) === 6 ? `[${host}]` : host;
  return `${scheme}://${shown}${port === "" ? "" : `:${port}`}`;
}

/** Connects to a kubelet for another protocol. */
async function dial(context: RequestContext, target: Target, destination: Destination): Promise<Reply> {
  const forwarded = await forward(context, target.core, destination).catch((error: Error) => {
    throw internalError(`error dialing backend: ${error.message}`);
  });
  const { statusCode = 0 } = forwarded.response;
  if (!forwarded.upgraded && statusCode < 400) {
    forwarded.response.destroy();
    throw internalError(`invalid upgrade response: status code ${statusCode}`);
  }
  return replyOf(forwarded);
}

/** Passes a request on to a port of a pod, to one of the pods of a Service, or to a node. */
async function proxy(context: RequestContext, target: Target): Promise<Reply> {
  await admit(context, target);
  const destination = await destinationOf(target);
  const { url } = context.request;
  const segments = target.namespace === "" ? "{5}" : "{7}";
  const rest = new RegExp(`^(?:/+[^/?]+)${segments}(.*)$`, "su").exec(url)?.[1] ?? "";
  const isUpgrade = asksForUpgrade(context);
  if (!rest.startsWith("/") && !isUpgrade && ["GET", "HEAD"].includes(context.method)) {
    const location = url.replace(/\?|$/u, "/$&");
    return { code: 301, headers: { Location: location }, body: "" };
  }
  // Not resolved as a reference, in which `//` would begin another host.
  const path = rest.startsWith("/") ? rest : `/${rest}`;
  const proxied = { ...destination, url: new URL(`${destination.url.origin}${path}`) };
  if (isUpgrade) return dial(context, target, proxied);
  const forwarded = await forward(context, target.core, proxied).catch((error: Error) => {
    const message = `error trying to reach service: ${error.message}`;
    throw new StatusError(503, "ServiceUnavailable", message);
  });
  return replyOfPage(forwarded, url.slice(0, url.length - rest.length));
}

/** Reads `name`, `name:port` or `scheme:name:port`. Only Services have ports with names. */
function readPlace({ name, resource }: Target): { scheme: string; object: string; port: string } {
  const parts = name.split(":");
  const [scheme = "", object = "", port = ""] = parts.length === 3 ? parts : ["http", ...parts];
  const isPort = resource.plural === "services" || (/^\d*$/u.test(port) && Number(port) <= 65535);
  if (parts.length > 3 || object === "" || !["", "http", "https"].includes(scheme) || !isPort)
    throw badRequest(`invalid ${resource.singular} request ${JSON.stringify(name)}`);
  return { scheme: scheme || "http", object, port };
}

async function destinationOf(target: Target): Promise<Destination> {
  const { scheme, object, port } = readPlace(target);
  switch (qualifiedName(target.resource)) {
    case "nodes":
      return nodeDestination(target, scheme, object, port);
    case "services":
      return serviceDestination(target, scheme, object, port);
    default:
      return podDestination(target, findPod(target, object), scheme, port);
  }
}

async function nodeDestination(
  target: Target,
  scheme: string,
  name: string,
  port: string,
): Promise<Destination> {
  const node = target.core.store.collection("nodes").get(name)?.object as unknown as Node | undefined;
  if (!node) throw notFound({ group: "", plural: "nodes", kind: "Node" }, name);
  if (!hasKubelet(node) || !target.core.kubelets) throw noContainers(target);
  const kubelet = kubeletURL(target, node, "/");
  const isKubelet = port === "" || port === kubelet.port;
  const host = await resolveName(kubelet.hostname.replaceAll(/[[\]]/gu, ""));
  const place = { host, port: Number(isKubelet ? kubelet.port : port), connect: target.core.connect };
  if (isKubelet) return { url: kubelet, place, tls: target.core.kubelets };
  return { url: new URL(origin(scheme, kubelet.hostname, port)), place };
}

function podDestination(target: Target, pod: Pod, scheme: string, port: string): Destination {
  nodeOfPod(target, pod);
  const [first] = pod.spec.containers.flatMap(({ ports = [] }) => ports);
  const address = pod.status?.podIP ?? "";
  checkAddress(address);
  return { url: new URL(origin(scheme, address, port || (first?.containerPort ?? ""))) };
}

/** Chooses a ready pod behind a Service by its Endpoints, as kube-apiserver does. */
function serviceDestination(target: Target, scheme: string, name: string, port: string): Destination {
  const { store } = target.core;
  const key = `${target.namespace}/${name}`;
  const service = store.collection("services").get(key)?.object as unknown as
    | Stored<core.Service>
    | undefined;
  if (!service) throw notFound({ group: "", plural: "services", kind: "Service" }, name);
  const unavailable = (why: string) => new StatusError(503, "ServiceUnavailable", why);
  const numbered = service.spec.ports?.find((each) => String(each.port) === port);
  if (/^\d+$/u.test(port) && !numbered)
    throw unavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const portName = numbered ? (numbered.name ?? "") : port;
  const endpoints = store.collection("endpoints").get(key)?.object as unknown as core.Endpoints | undefined;
  for (const { addresses = [], ports = [] } of endpoints?.subsets ?? []) {
    const found = ports.find((each) => (each.name ?? "") === portName);
    const own = addresses.filter((each) => podAt(target, each));
    const address = own[Math.floor(Math.random() * own.length)];
    if (!found || !address) continue;
    nodeOfPod(target, podAt(target, address)!);
    return { url: new URL(origin(scheme, address.ip, found.port)) };
  }
  throw unavailable(`no endpoints available for service ${JSON.stringify(target.name)}`);
}

/** Finds the pod of an endpoint. Who writes Endpoints must not lead the server to an address that no pod has. */
function podAt({ core: { store }, namespace }: Target, { ip, targetRef }: core.EndpointAddress) {
  if (targetRef?.kind !== "Pod" || targetRef.namespace !== namespace) return undefined;
  const pod = store.collection("pods").get(`${namespace}/${targetRef.name}`)?.object as unknown as
    | Pod
    | undefined;
  return pod?.status?.podIPs?.some((each) => each.ip === ip) ? pod : undefined;
}

/** Addresses of the server's own machine and network link, which a proxy must not open to users. */
const localAddresses = new BlockList();
for (const [network, prefix, family] of [
  ["0.0.0.0", 32, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["224.0.0.0", 4, "ipv4"],
  ["::", 127, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
] as const)
  localAddresses.addSubnet(network, prefix, family);

/** Returns an address of a name, or the address itself. As for kube-apiserver, a proxy may use all of them or none. */
export async function resolveName(name: string): Promise<string> {
  const found = await lookup(name, { all: true }).catch(() => []);
  for (const { address } of found) checkAddress(address);
  if (!found[0]) throw badRequest(`lookup ${name}: no such host`);
  return found[0].address;
}

function checkAddress(address: string): void {
  const family = isIP(address);
  if (family === 0 || localAddresses.check(address, family === 6 ? "ipv6" : "ipv4"))
    throw badRequest("address not allowed");
}
