// Other API servers behind this one, such as metrics-server. An APIService with a Service names the group version that such a server
// serves: requests for it are passed on as kube-aggregator passes them on, with the user in headers and a client certificate by
// which the other server knows that they are to be believed. Whether it responds becomes the condition Available.

import { type IncomingMessage, request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Service } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { EndpointSlice } from "@tsbuilder/apimachinery/k8s/discovery/v1";
import type * as v1 from "@tsbuilder/apimachinery/k8s/apiregistration/v1";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { CertificateWithKey } from "@tsbuilder/apimachinery/certs";
import type { ServiceResolver } from "../../admission/webhooks/webhook-client.ts";
import { type User, systemUser } from "../../contract/user.ts";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import { services } from "../../control-loop/api/core.ts";
import { type Reply, type RequestContext, textReply } from "../../http/request-context.ts";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import type { Core } from "../../registry/core.ts";
import { type Destination, asksForUpgrade, connectTo, forward, replyOf } from "./forward.ts";

type APIService = v1.APIService & KubernetesObject;
/** An APIService of another server. */
type RemoteService = APIService & { readonly spec: { readonly service: v1.ServiceReference } };

/** A resource as another server describes it, in an APIResourceList. */
export interface RemoteResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
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

export class AggregatedAPIs {
  readonly #core: Core;
  readonly #proxy: FrontProxy;
  readonly #resources = new Map<string, readonly RemoteResource[]>();
  /** What ends the wait for the next check of an APIService. */
  readonly #waits = new Map<string, () => void>();
  readonly #stop: () => void;
  #isStopped = false;

  constructor(core: Core, proxy: FrontProxy) {
    this.#core = core;
    this.#proxy = proxy;
    const objects = clusterObjects(core);
    for (const service of objects.list(apiServices))
      if (isRemote(service)) this.#checkSoon(service.metadata.name!, 0);
    this.#stop = objects.watch(({ type, resource, object }) => {
      if (resource === apiServices) {
        const name = object.metadata.name!;
        if (type === "DELETED" || !isRemote(object)) this.#forget(name);
        else if (!this.#waits.has(name) || type === "ADDED") this.#checkSoon(name, 0);
      } else if (resource === services || resource === endpointSlices) this.#noticeChange(resource, object);
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop();
    for (const name of this.#waits.keys()) this.#forget(name);
  }

  /** The group versions of other servers, those of the highest priority first. */
  versions(): RemoteVersion[] {
    return clusterObjects(this.#core)
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
    const [, group, version] = /^\/apis\/([^/]+)\/([^/]+)(?:\/|$)/u.exec(path) ?? [];
    if (group === undefined) return undefined;
    const service = clusterObjects(this.#core).get(apiServices, undefined, `${version}.${group}`);
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
    try {
      const headers = userHeaders(context.user);
      return replyOf(await forward(context, this.#core, { ...destination, headers }));
    } catch (error) {
      const what = asksForUpgrade(context) ? "error dialing backend" : "error trying to reach service";
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
    this.#resources.delete(name);
  }

  /** A server whose Service or pods change may respond again, or no more. */
  #noticeChange(resource: string, { metadata }: KubernetesObject): void {
    if (this.#waits.size === 0) return;
    const name = resource === services ? metadata.name : metadata.labels?.["kubernetes.io/service-name"];
    for (const service of clusterObjects(this.#core).list(apiServices).filter(isRemote))
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
    const service = clusterObjects(this.#core).get(apiServices, undefined, name);
    if (!service || !isRemote(service)) return;
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
    const objects = clusterObjects(this.#core);
    const where = `service/${name} in ${JSON.stringify(namespace)}`;
    const service = objects.get(services, namespace, name) as Service | undefined;
    if (!service) return failure("ServiceNotFound", `${where} is not present`);
    if (service.spec?.type === "ExternalName") return undefined;
    const found = service.spec?.ports?.find((each) => each.port === port);
    if (!found) return failure("ServicePortError", `${where} is not listening on port ${port}`);
    const isReady = objects
      .list(endpointSlices, namespace)
      .some(
        ({ metadata, endpoints, ports }) =>
          metadata.labels?.["kubernetes.io/service-name"] === name &&
          ports?.some((each) => (each.name ?? "") === (found.name ?? "")) &&
          endpoints?.some(({ conditions }) => conditions?.ready !== false),
      );
    const lost = `endpoints for ${where} have no addresses with port name ${JSON.stringify(found.name ?? "")}`;
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
      const { resources = [] } = JSON.parse(body) as { resources?: RemoteResource[] };
      this.#resources.set(service.metadata.name!, resources);
      return undefined;
    } catch (error) {
      const why = `failing or missing response from ${url}: ${(error as Error).message}`;
      return failure("FailedDiscoveryCheck", why);
    }
  }

  async #get(destination: Destination): Promise<{ statusCode?: number | undefined; body: string }> {
    const abort = new AbortController();
    const timeout = new Error("context deadline exceeded");
    const cancel = this.#core.connectionClock.setTimer(() => abort.abort(timeout), responseMilliseconds);
    const { signal } = abort;
    try {
      const socket = await connectTo(destination, this.#core, signal);
      const headers = { Host: destination.url.host, Accept: "application/json", ...userHeaders(systemUser) };
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = { path: destination.path, headers, signal, createConnection: () => socket };
        httpRequest(options, resolve).on("error", reject).end();
      });
      return { statusCode: response.statusCode, body: await text(response) };
    } catch (error) {
      throw signal.aborted ? timeout : error;
    } finally {
      cancel();
    }
  }

  /** Writes the condition Available, unless it says so already. */
  async #report(name: string, outcome: Outcome): Promise<void> {
    const objects = clusterObjects(this.#core);
    const service = objects.get(apiServices, undefined, name);
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
    // Its next version is checked anew.
    await objects.update(systemUser.name, { ...service, status }, "status").catch(() => undefined);
  }
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
    "X-Remote-User": name,
    ...(uid !== undefined && { "X-Remote-Uid": uid }),
    "X-Remote-Group": [...groups],
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `X-Remote-Extra-${encodeURIComponent(key)}`,
        [...values],
      ]),
    ),
  };
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
