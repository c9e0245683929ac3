import type { CustomResourceDefinition } from "@tsbuilder/apimachinery/k8s/apiextensions/v1";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { setTimeout as delay } from "node:timers/promises";
import type { Kubeconfig } from "../../auth/kubeconfig.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Stored } from "../../contract/stored.ts";
import { type ReceivedResponse, send } from "../send.ts";

/** Creates or replaces an object over HTTP, as an administrator. */
export async function putRealObject(administrator: Kubeconfig, object: ApiObject): Promise<ApiObject> {
  const path = await collectionPath(administrator, object);
  const created = await send(administrator, { method: "POST", path, body: object });
  if (created.code !== 409) return accepted(created, object);
  const one = `${path}/${object.metadata.name}`;
  const stored = accepted(await send(administrator, { method: "GET", path: one }), object);
  const { resourceVersion } = stored.metadata;
  const body = { ...object, metadata: { ...object.metadata, resourceVersion } };
  return accepted(await send(administrator, { method: "PUT", path: one, body }), object);
}

/** Waits until the kinds of a CRD are served, which takes a real server a moment. */
export async function served(administrator: Kubeconfig, definition: ApiObject): Promise<void> {
  const { group, names, versions } = (definition as unknown as Stored<CustomResourceDefinition>).spec;
  for (const { name } of versions.filter((version) => version.served)) {
    const path = `/apis/${group}/${name}/${names.plural}?limit=1`;
    while ((await send(administrator, { method: "GET", path })).code !== 200) await delay(50);
  }
}

interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
  }[];
}

async function collectionPath(
  administrator: Kubeconfig,
  { apiVersion, kind, metadata }: ApiObject,
): Promise<string> {
  const prefix = parseApiVersion(apiVersion).group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  const { body, code } = await send(administrator, { method: "GET", path: prefix });
  const { resources } = code === 200 ? (body as ResourceList) : { resources: [] };
  const resource = resources.find((each) => each.kind === kind && !each.name.includes("/"));
  if (!resource) throw new Error(`no resource serves ${apiVersion} ${kind}; is its CRD installed?`);
  return resource.namespaced
    ? `${prefix}/namespaces/${metadata.namespace ?? "default"}/${resource.name}`
    : `${prefix}/${resource.name}`;
}

function accepted({ code, body, text }: ReceivedResponse, { kind, metadata }: ApiObject): ApiObject {
  if (code < 300) return body as ApiObject;
  const { message = text } = (body ?? {}) as { message?: string };
  throw new Error(`the server refused ${kind} "${metadata.name}": ${message}`);
}
