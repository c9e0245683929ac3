import type { Kubeconfig } from "../../../src/cluster/auth/credentials.ts";
import { send } from "../../../src/cluster/testing/send.ts";
import type { Schema, Schemas } from "./schema.ts";

/** A built-in kind as a server's discovery and its OpenAPI documents describe it. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  readonly schema: Schema;
  /** The document that the schema's references point into. */
  readonly schemas: Schemas;
}

/** Reads all kinds that a server lets clients create. */
export async function readKinds(kubeconfig: Kubeconfig): Promise<readonly Kind[]> {
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const get = async <T>(path: string): Promise<T> => {
    const { code, body } = await send(kubeconfig, { method: "GET", path, headers: { Accept: accept } });
    if (code !== 200) throw new Error(`GET ${path} returned ${code}`);
    return body as T;
  };
  const { paths } = await get<{ paths: Record<string, { serverRelativeURL: string }> }>("/openapi/v3");
  const groups = [...(await get<Discovery>("/api")).items, ...(await get<Discovery>("/apis")).items];
  const kinds: Kind[] = [];
  for (const { metadata, versions } of groups) {
    for (const { version, resources } of versions) {
      const group = metadata?.name ?? "";
      const apiVersion = group === "" ? version : `${group}/${version}`;
      const url = paths[group === "" ? `api/${version}` : `apis/${apiVersion}`]?.serverRelativeURL;
      if (url === undefined) throw new Error(`no OpenAPI document of ${apiVersion}`);
      const { schemas } = (await get<OpenApi>(url)).components;
      const found = resources.filter(({ verbs }) => verbs.includes("create"));
      kinds.push(...found.flatMap((resource) => kindOf(resource, { group, version, apiVersion, schemas })));
    }
  }
  return kinds;
}

interface Discovery {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly Resource[] }[];
  }[];
}

interface Resource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: "Namespaced" | "Cluster";
  readonly verbs: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

interface OpenApi {
  readonly components: { readonly schemas: Schemas };
}

interface Place {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly schemas: Schemas;
}

function kindOf(resource: Resource, { group, version, apiVersion, schemas }: Place): Kind[] {
  const { kind } = resource.responseKind;
  const schema = Object.values(schemas).find((each) =>
    each["x-kubernetes-group-version-kind"]?.some(
      (named) => named.group === group && named.version === version && named.kind === kind,
    ),
  );
  if (!schema) return [];
  return [
    {
      apiVersion,
      kind,
      plural: resource.resource,
      isNamespaced: resource.scope === "Namespaced",
      verbs: resource.verbs,
      subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
      schema,
      schemas,
    },
  ];
}

/** Where objects of a kind are created; `{ns}` stands for the namespace of a story. */
export function collectionPath({ apiVersion, plural, isNamespaced }: Kind): string {
  const prefix = apiVersion.includes("/") ? "/apis" : "/api";
  return `${prefix}/${apiVersion}${isNamespaced ? "/namespaces/{ns}" : ""}/${plural}`;
}
