// Other API servers behind this one, such as metrics-server. An APIService with a Service names the group version that such a server
// serves: requests for it are passed on as kube-aggregator passes them on, with the user in headers and a client certificate by
// which the other server knows that they are to be believed. Whether it responds becomes the condition Available.

import { type IncomingMessage, request as httpRequest } from "node:http";
import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import type { Service } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { EndpointSlice } from "@tsbuilder/apimachinery/k8s/discovery/v1";
import type * as v1 from "@tsbuilder/apimachinery/k8s/apiregistration/v1";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { CertificateWithKey } from "@tsbuilder/apimachinery/certs";
import type { ServiceResolver } from "../../admission/webhooks/webhook-client.ts";
import { type User, systemUser } from "../../contract/user.ts";
import type { ClusterObjects, ResourceName } from "../../contract/cluster-objects.ts";
import { services } from "../../control-loop/api/core.ts";
import { type Reply, type RequestContext, textReply } from "../../http/request-context.ts";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import type { Core } from "../../registry/core.ts";
import { type Destination, type Forwarded, asksForUpgrade, connectTo, forward, replyOf } from "./forward.ts";

type APIService = v1.APIService & KubernetesObject;
/** An APIService of another server. */
type RemoteService = APIService & { readonly spec: { readonly service: v1.ServiceReference } };

/** A resource as another server describes it, in an APIResourceList. */
export interface RemoteResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** A group version that another server serves; one that has never responded has no resources yet. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly isAvailable: boolean;
  readonly resources: readonly RemoteResource[];
}

/** How other servers are reached, and by what they know this one. */
export interface FrontProxy {
  readonly findService: ServiceResolver;
  /** The client certificate. Default: none. */
  readonly client?: CertificateWithKey | undefined;
}

const apiServices: ResourceName<APIService> = "apiservices.apiregistration.k8s.io";
const endpointSlices: ResourceName<EndpointSlice & KubernetesObject> = "endpointslices.discovery.k8s.io";

/** How often a server that responds is asked again, and how long it may take, as in kube-aggregator. */
const checkMilliseconds = 30_000;
const responseMilliseconds = 5_000;

/** How long clients wait for a response to begin, but to a watch, and to discovery, which waits as long as a check. */
const requestMilliseconds = 60_000;

/** The largest document that is read of another server: the metrics of some ten thousand pods. */
const documentLimit = 16 * 1024 * 1024;

export class AggregatedAPIs {
  readonly #core: Core;
  readonly #objects: ClusterObjects;
  readonly #proxy: FrontProxy;
  readonly #resources = new Map<string, readonly RemoteResource[]>();
  /** Functions that cancel the next check of an APIService, by its name. */
  readonly #waits = new Map<string, () => void>();
  /** The spec of each APIService when it was last checked. */
  readonly #specs = new Map<string, v1.APIServiceSpec>();
  readonly #stop: () => void;
  readonly #running = new Set<AbortController>();
  #isStopped = false;

  constructor(core: Core, proxy: FrontProxy) {
    this.#core = core;
    this.#proxy = proxy;
    const objects = (this.#objects = clusterObjects(core));
    for (const service of objects.list(apiServices))
      if (isRemote(service)) this.#checkSoon(service.metadata.name!, 0);
    this.#stop = objects.watch(({ type, resource, object }) => {
      if (resource === apiServices) {
        const name = object.metadata.name!;
        if (type === "DELETED" || !isRemote(object)) this.#forget(name);
        // Not after an own write of the status.
        else if (type === "ADDED" || !isEqual(object.spec, this.#specs.get(name))) this.#checkSoon(name, 0);
      } else if (resource === services || resource === endpointSlices) this.#noticeChange(resource, object);
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop();
    for (const each of this.#running) each.abort();
    for (const name of this.#waits.keys()) this.#forget(name);
  }

  /** The group versions of other servers, those of the highest priority first. */
  versions(): RemoteVersion[] {
    return this.#objects
      .list(apiServices)
      .filter(isRemote)
      .toSorted(
        (a, b) =>
          b.spec.groupPriorityMinimum - a.spec.groupPriorityMinimum ||
          b.spec.versionPriority - a.spec.versionPriority,
      )
      .map((service) => ({
        group: service.spec.group!,
        version: service.spec.version!,
        isAvailable: isAvailable(service),
        resources: this.#resources.get(service.metadata.name!) ?? [],
      }));
  }

  /** Returns the document that a server has at a path. Rejects if it is not available. */
  async get(path: string): Promise<unknown> {
    const service = this.#find(path);
    const destination = service && isAvailable(service) ? this.#destinationOf(service, path) : undefined;
    if (!destination) throw new Error("the server is currently unable to handle the request");
    const { statusCode, body } = await this.#get(destination);
    if (statusCode !== 200) throw new Error(`the server responded with the status code ${statusCode}`);
    return JSON.parse(body);
  }

  #find(path: string): RemoteService | undefined {
    if (this.#waits.size === 0) return undefined;
    const [, group, version] = /^\/apis\/([^/]+)\/([^/]+)(?:\/|$)/u.exec(path) ?? [];
    if (group === undefined) return undefined;
    const service = this.#objects.get(apiServices, undefined, `${version}.${group}`);
    return service && isRemote(service) ? service : undefined;
  }

  /** Passes a request on to the server of its path; undefined if this one serves it itself. */
  handle(context: RequestContext): Promise<Reply> | undefined {
    const service = this.#find(context.info.path);
    return service && this.#pass(context, service);
  }

  async #pass(context: RequestContext, service: RemoteService): Promise<Reply> {
    const destination = isAvailable(service) ? this.#destinationOf(service, context.request.url) : undefined;
    if (!destination) return textReply("service unavailable\n", 503);
    const { isResource, verb } = context.info;
    const isUpgrade = asksForUpgrade(context);
    const headers = { Host: destination.url.host, ...userHeaders(context.user) };
    const pass = (signal?: AbortSignal) =>
      forward(context, this.#core, { ...destination, headers, ...(signal && { signal }) });
    try {
      const milliseconds = isResource ? requestMilliseconds : responseMilliseconds;
      const forwarded = await (isUpgrade || verb === "watch" ? pass() : this.#within(milliseconds, pass));
      return refusal(forwarded, isUpgrade) ?? replyOf(forwarded);
    } catch (error) {
      const what = isUpgrade ? "error dialing backend" : "error trying to reach service";
      return textReply(`${what}: ${(error as Error).message}\n`, 503);
    }
  }

  /** Undefined if nothing is known to listen behind the Service. */
  #destinationOf({ spec }: RemoteService, path: string): Destination | undefined {
    const { namespace = "", name = "", port = 443 } = spec.service;
    const place = this.#proxy.findService(namespace, name, port);
    const { client } = this.#proxy;
    const ca = spec.caBundle && Buffer.from(spec.caBundle, "base64").toString("utf8");
    return (
      place && {
        url: new URL(`https://${name}.${namespace}.svc:${port}`),
        path,
        place,
        tls: { ...(client && { client }), ...(ca && { ca }) },
        isVerified: !spec.insecureSkipTLSVerify,
      }
    );
  }

  #forget(name: string): void {
    this.#waits.get(name)?.();
    this.#waits.delete(name);
    this.#specs.delete(name);
    this.#resources.delete(name);
  }

  /** A server whose Service or pods change may respond again, or no more. */
  #noticeChange(resource: string, { metadata }: KubernetesObject): void {
    if (this.#waits.size === 0) return;
    const name = resource === services ? metadata.name : metadata.labels?.["kubernetes.io/service-name"];
    for (const service of this.#objects.list(apiServices).filter(isRemote))
      if (service.spec.service.name === name && service.spec.service.namespace === metadata.namespace)
        this.#checkSoon(service.metadata.name!, 0);
  }

  #checkSoon(name: string, milliseconds: number, failures = 0): void {
    this.#waits.get(name)?.();
    const cancel = this.#core.connectionClock.setTimer(() => {
      this.#check(name, cancel, failures).catch(this.#core.onError);
    }, milliseconds);
    this.#waits.set(name, cancel);
  }

  /** Checks one server. A result that a later check has overtaken is dropped. */
  async #check(name: string, current: () => void, failures: number): Promise<void> {
    const service = this.#objects.get(apiServices, undefined, name);
    if (!service || !isRemote(service)) return;
    this.#specs.set(name, service.spec);
    const problem = this.#problemOf(service) ?? (await this.#ask(service));
    if (this.#isStopped || this.#waits.get(name) !== current) return;
    // One that does not respond is asked again after a second, two, four …
    const wait = problem ? Math.min(1000 * 2 ** failures, checkMilliseconds) : checkMilliseconds;
    this.#checkSoon(name, wait, problem ? failures + 1 : 0);
    const outcome = problem ?? { status: "True", reason: "Passed", message: "all checks passed" };
    await this.#report(name, outcome);
  }

  #problemOf({ spec }: RemoteService): Outcome | undefined {
    const { namespace = "", name = "", port = 443 } = spec.service;
    const where = `service/${name} in ${JSON.stringify(namespace)}`;
    const service = this.#objects.get(services, namespace, name) as Service | undefined;
    if (!service) return failure("ServiceNotFound", `${where} is not present`);
    if (service.spec?.type !== "ClusterIP") return undefined;
    const found = service.spec.ports?.find((each) => each.port === port);
    if (!found) return failure("ServicePortError", `${where} is not listening on port ${port}`);
    const slices = this.#objects
      .list(endpointSlices, namespace)
      .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name);
    if (slices.length === 0) return failure("EndpointsNotFound", `cannot find endpointslices for ${where}`);
    const portName = found.name ?? "";
    const isReady = slices.some(
      ({ endpoints, ports }) =>
        ports?.some((each) => (each.name ?? "") === portName) &&
        endpoints?.some(({ conditions }) => conditions?.ready !== false),
    );
    const lost = `endpointslices for ${where} have no addresses with port name ${JSON.stringify(portName)}`;
    return isReady ? undefined : failure("MissingEndpoints", lost);
  }

  /** Asks a server for its resources, and keeps them. */
  async #ask(service: RemoteService): Promise<Outcome | undefined> {
    const { group, version } = service.spec;
    const path = `/apis/${group}/${version}`;
    const destination = this.#destinationOf(service, path);
    const url = `${destination?.url.origin ?? "the service"}${path}`;
    try {
      if (!destination) throw new Error("nothing is known to listen there");
      const { statusCode = 0, body } = await this.#get(destination);
      if (statusCode < 200 || statusCode >= 300) throw new Error(`bad status from ${url}: ${statusCode}`);
      this.#resources.set(service.metadata.name!, resourcesOf(JSON.parse(body)));
      return undefined;
    } catch (error) {
      const why = `failing or missing response from ${url}: ${(error as Error).message}`;
      return failure("FailedDiscoveryCheck", why);
    }
  }

  #get(destination: Destination): Promise<{ statusCode?: number | undefined; body: string }> {
    return this.#within(responseMilliseconds, async (signal) => {
      const socket = await connectTo(destination, this.#core, signal);
      const headers = { Host: destination.url.host, Accept: "application/json", ...userHeaders(aggregator) };
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = { path: destination.path, headers, signal, createConnection: () => socket };
        httpRequest(options, resolve).on("error", reject).end();
      });
      return { statusCode: response.statusCode, body: await readDocument(response) };
    });
  }

  /** Ends work that takes too long, or that the server doesn't outlive. */
  async #within<T>(milliseconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const cancel = this.#core.connectionClock.setTimer(() => limit.abort(), milliseconds);
    this.#running.add(limit);
    try {
      return await work(limit.signal);
    } catch (error) {
      throw limit.signal.aborted ? new Error("context deadline exceeded") : error;
    } finally {
      cancel();
      this.#running.delete(limit);
    }
  }

  /** Writes the condition Available, unless it says so already. */
  async #report(name: string, outcome: Outcome): Promise<void> {
    const service = this.#objects.get(apiServices, undefined, name);
    if (!service) return;
    const conditions = service.status?.conditions ?? [];
    const before = conditions.find(({ type }) => type === "Available");
    const since = before?.status === outcome.status ? before.lastTransitionTime : undefined;
    const available = {
      type: "Available",
      ...outcome,
      lastTransitionTime: since ?? formatTime(this.#core.clock.now()),
    };
    if (before && isEqual(available, before)) return;
    const others = conditions.filter(({ type }) => type !== "Available");
    const status = { conditions: [...others, available] };
    // After another write at the same time, the next check writes it.
    await this.#objects.update(systemUser.name, { ...service, status }, "status").catch(() => undefined);
  }
}

/** By whom other servers are asked whether they are there: somebody who may ask, as in kube-aggregator. */
const aggregator: User = { name: "system:kube-aggregator", groups: ["system:masters"] };

/**
 * Returns what the client gets in the place of a response that it must not have: a redirect, which could lead it with its
 * credentials to anybody, or no upgrade where it waits for one.
 */
function refusal({ response, upgraded }: Forwarded, isUpgrade: boolean): Reply | undefined {
  const { statusCode = 502, headers } = response;
  const isRedirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
  if (isUpgrade ? upgraded || statusCode >= 400 : !isRedirect) return undefined;
  response.destroy();
  return isUpgrade
    ? textReply(`invalid upgrade response: status code ${statusCode}\n`, 503)
    : textReply("the backend attempted to redirect this request, which is not permitted", 502);
}

async function readDocument(response: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response) {
    size += part.length;
    if (size > documentLimit) throw new Error(`the response is larger than ${documentLimit} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Reads an APIResourceList. What is none is left out: one malformed entry would make clients lose the discovery of all servers. */
function resourcesOf(document: unknown): RemoteResource[] {
  const resources: unknown = isObject(document) ? document["resources"] : [];
  return listOf(resources)
    .filter(isObject)
    .filter(({ name, kind }) => textOf(name) !== "" && textOf(kind) !== "")
    .map((resource) => ({
      name: textOf(resource["name"]),
      singularName: textOf(resource["singularName"]),
      namespaced: resource["namespaced"] === true,
      kind: textOf(resource["kind"]),
      group: textOf(resource["group"]),
      version: textOf(resource["version"]),
      verbs: listOf(resource["verbs"]).map(textOf),
      shortNames: listOf(resource["shortNames"]).map(textOf),
      categories: listOf(resource["categories"]).map(textOf),
    }));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

interface Outcome {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function failure(reason: string, message: string): Outcome {
  return { status: "False", reason, message };
}

function isRemote(service: APIService): service is RemoteService {
  return service.spec?.service !== undefined;
}

function isAvailable({ status }: APIService): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Available" && is === "True") ?? false;
}

/** The headers by which the user goes on, as `requestHeaders` names them. */
function userHeaders({ name, uid, groups, extra = {} }: User): Record<string, string | string[]> {
  return {
    "X-Remote-User": headerText(name),
    ...(uid !== undefined && { "X-Remote-Uid": headerText(uid) }),
    "X-Remote-Group": groups.map(headerText),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `X-Remote-Extra-${encodeURIComponent(key).replaceAll("(", "%28").replaceAll(")", "%29")}`,
        values.map(headerText),
      ]),
    ),
  };
}

/** Node writes a byte for each character of a header: those of UTF-8, as Go writes it. */
function headerText(value: string): string {
  return Buffer.from(value, "utf8").toString("latin1");
}

const allowedName = "front-proxy-client";

/** How other servers read the user of a request that this server passes on, by the names of kube-apiserver's flags. */
export const requestHeaders: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    "allowed-names": allowedName,
    "extra-headers-prefix": "X-Remote-Extra-",
    "group-headers": "X-Remote-Group",
    "uid-headers": "X-Remote-Uid",
    "username-headers": "X-Remote-User",
  }).map(([name, value]) => [`requestheader-${name}`, JSON.stringify([value])]),
);

/** The common name of the certificate by which they know it. */
export const frontProxyName = allowedName;
