import { createHash } from "node:crypto";
import type { BuiltinResource } from "@tsbuilder/apimachinery/kinds";
import { type Release, builtinResources } from "@tsbuilder/apimachinery/kinds";
import { kubernetesVersion } from "../real/build-kubernetes.ts";
import type { RecordedCase, RecordedObject } from "./record.ts";

/** A case as the request of a client. */
export interface CaseRequest {
  /** A hash of the request: cases that tests try several times are one. */
  readonly id: string;
  readonly kind: string;
  readonly function: string;
  readonly at: string;
  /** The verdict of the tested function; undefined if it returns no errors. */
  readonly valid: boolean | undefined;
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: RecordedObject;
  /** The object to store first, and its key in etcd. */
  readonly old?: { readonly key: string; readonly object: RecordedObject };
}

/** A case that no client could send, with the reason. */
export interface Inexpressible {
  readonly kind: string;
  readonly function: string;
  readonly reason: string;
}

/** Subresources by what the names of functions and strategies say. */
const subresources: ReadonlyArray<readonly [RegExp, string]> = [
  [/EphemeralContainers/u, "ephemeralcontainers"],
  [/Resize/u, "resize"],
  [/Approval/u, "approval"],
  [/Finalize/u, "finalize"],
  [/StatusUpdate|[sS]tatusStrategy/u, "status"],
];

/** Returns the request by which a client tries the case. */
export function requestOf(recorded: RecordedCase): CaseRequest | Inexpressible {
  const { function: name, object, old, part = "", problem } = recorded;
  const kind = object?.kind ?? "";
  const none = (reason: string): Inexpressible => ({ kind, function: name, reason });
  if (problem !== undefined) return none(reasonOf(problem));
  if (!object) return none("the object is nil");
  const resource = resourceOf(object);
  if (!resource) return none(`${object.apiVersion} is not served`);
  const valid = recorded.judged ? !recorded.errors : undefined;
  const common = { kind, function: name, at: recorded.at, valid };
  const asked = subresources.find(([pattern]) => pattern.test(name))?.[1] ?? "";
  if (old) {
    if (old.kind !== kind || old.apiVersion !== object.apiVersion)
      return none("the old object is of another kind");
    if (asked !== "" && !resource.subresources.some((each) => each.name === asked))
      return none(`no subresource ${asked}`);
    return withId({ ...common, ...updateOf(resource, object, old, asked) });
  }
  const hasStatus = resource.subresources.some((each) => each.name === "status");
  if (hasStatus && (part.startsWith("Status") || asked === "status")) {
    const { status: _, ...before } = object as RecordedObject & { status?: unknown };
    return withId({ ...common, ...updateOf(resource, object, before, "status") });
  }
  if (!resource.verbs.includes("create")) return none(`${resource.plural} can't be created`);
  const { resourceVersion: _, ...metadata } = object.metadata ?? {};
  const body = { ...object, metadata };
  const { namespace } = body.metadata as { namespace?: string };
  const path = `${collectionPath(resource, namespace || "default")}?dryRun=All`;
  return withId({ ...common, method: "POST", path, body });
}

/** Gives a request its name. */
export function withId(request: Omit<CaseRequest, "id">): CaseRequest {
  const { method, path, body, old } = request;
  const hash = createHash("sha256").update(JSON.stringify([method, path, body, old?.object]));
  return { id: hash.digest("base64url").slice(0, 16), ...request };
}

type Update = Pick<CaseRequest, "method" | "path" | "body" | "old">;

/** The old object is stored as it is, whatever is wrong with it, and replaced. */
function updateOf(
  resource: BuiltinResource,
  object: RecordedObject,
  old: RecordedObject,
  subresource: string,
): Update {
  const stored: Record<string, unknown> = { ...old.metadata };
  stored["name"] ||= object.metadata?.["name"] || "a";
  if (resource.scope === "Namespaced") stored["namespace"] ||= "default";
  else delete stored["namespace"];
  stored["uid"] ||= "8f4c2b1e-0d3a-4c57-9b52-6a1f0e7d9c48";
  stored["creationTimestamp"] ??= "2026-01-01T00:00:00Z";
  delete stored["resourceVersion"];
  const { resourceVersion: _, ...metadata } = object.metadata ?? {};
  const name = stored["name"] as string;
  const namespace = stored["namespace"] as string | undefined;
  const suffix = subresource === "" ? "" : `/${subresource}`;
  const path = `${collectionPath(resource, namespace ?? "")}/${encodeURIComponent(name)}${suffix}?dryRun=All`;
  const prefix = etcdPrefixes[`${resource.group}/${resource.plural}`] ?? resource.plural;
  const key = ["/registry", prefix, ...(namespace === undefined ? [] : [namespace]), name].join("/");
  return {
    method: "PUT",
    path,
    body: { ...object, metadata },
    old: { key, object: { ...old, metadata: stored } },
  };
}

/** The etcd prefixes of resources, where they differ from the plural. */
const etcdPrefixes: Readonly<Record<string, string>> = {
  "apiextensions.k8s.io/customresourcedefinitions": "apiextensions.k8s.io/customresourcedefinitions",
  "networking.k8s.io/ingresses": "ingress",
  "/endpoints": "services/endpoints",
  "/nodes": "minions",
  "/replicationcontrollers": "controllers",
  "/services": "services/specs",
};

const resources = builtinResources(kubernetesVersion.replace(/\.\d+$/u, "") as Release);

function resourceOf({ apiVersion, kind }: RecordedObject): BuiltinResource | undefined {
  return resources.find((resource) => resource.apiVersion === apiVersion && resource.kind === kind);
}

function collectionPath({ apiVersion, scope, plural }: BuiltinResource, namespace: string): string {
  const prefix = apiVersion.includes("/") ? "apis" : "api";
  const place = scope === "Namespaced" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `/${prefix}/${apiVersion}${place}/${plural}`;
}

function reasonOf(problem: string): string {
  if (problem.startsWith("no kind has such a part")) return "no kind has such a part";
  if (problem.startsWith("can't be converted")) return "no version of the API can express it";
  if (problem.startsWith("cannot deep copy")) return "not JSON";
  return problem.slice(0, 60);
}
