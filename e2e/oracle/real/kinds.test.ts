import { request } from "node:https";
import {
  type BuiltinResource,
  type BuiltinSchema,
  builtinResources,
  definitionName,
  loadSchemas,
  schemaModules,
} from "@tsbuilder/apimachinery/kinds";
import { afterAll, describe, expect, test } from "vitest";
import { decodeProtobuf } from "../../../src/cluster/codec/index.ts";
import { encodeProtobuf } from "../../support/cluster/encode-protobuf.ts";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

/** The tables of built-in kinds, compared with a real API server's documents. */
const binaries = findBinaries({ build: false });
if ("missing" in binaries) console.log(`left out: the tables on a real API server: ${binaries.missing}`);
const control = "missing" in binaries ? undefined : await startControlPlane(binaries.folder);
afterAll(() => control?.stop());

interface Sent {
  readonly accept?: string;
  readonly method?: string;
  readonly body?: Buffer;
}

function call(
  path: string,
  { accept = "application/json", method = "GET", body }: Sent = {},
): Promise<Buffer> {
  const { url, token } = control!;
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: accept,
    ...(body && { "Content-Type": "application/vnd.kubernetes.protobuf", "Content-Length": body.length }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on("data", (chunk: Buffer) => chunks.push(chunk))
        .on("end", () => resolve(Buffer.concat(chunks)));
    });
    sent.on("error", reject).end(body);
  });
}

const get = async <T>(path: string, accept?: string): Promise<T> =>
  JSON.parse((await call(path, accept === undefined ? {} : { accept })).toString()) as T;

describe.runIf(control)("the tables of built-in kinds", () => {
  test("match discovery, in its order", async () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const lists = [await get<Discovery>("/api", accept), await get<Discovery>("/apis", accept)];
    const found = lists.flatMap(({ items }) => items.flatMap(readGroup));
    expect(builtinResources().map(asDiscovered)).toEqual(found);
  });

  test("have the columns of every table", async () => {
    for (const resource of builtinResources().filter(({ verbs }) => verbs.includes("list"))) {
      const { columnDefinitions = [] } = await get<{ columnDefinitions?: object[] }>(
        pathOf(resource),
        "application/json;as=Table;v=v1;g=meta.k8s.io",
      );
      const columns = columnDefinitions.map((column) => ({ ...column, description: undefined }));
      expect({ type: resource.type, columns: resource.columns }).toEqual({ type: resource.type, columns });
    }
  });

  test("have the types of the published OpenAPI document", async () => {
    const { definitions } = await get<{ definitions: Record<string, Definition> }>("/openapi/v2");
    let count = 0;
    for (const module of schemaModules) {
      const table = (await loadSchemas(module))!;
      for (const name of table.typeNames) {
        const definition = definitions[definitionName(`${module}.${name}`)]!;
        const ours = toDefinition(table.get(name)!, { isReference: false });
        expect({ module, name, ...ours }).toEqual({ module, name, ...known(definition) });
        count++;
      }
    }
    expect(count).toBeGreaterThan(500);
  });

  test("let protobuf bodies through in both directions", async () => {
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default", labels: { app: "web" } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: {
            containers: [
              {
                name: "web",
                image: "nginx",
                ports: [{ containerPort: 80 }],
                resources: { requests: { cpu: "0.5", memory: "1Gi" } },
                readinessProbe: { httpGet: { port: "http", path: "/" } },
              },
            ],
          },
        },
      },
    };
    const path = "/apis/apps/v1/namespaces/default/deployments";
    await call(path, { method: "POST", body: (await encodeProtobuf(deployment))! });
    const json = await get<Record<string, unknown>>(`${path}/web`);
    expect(json).toMatchObject({ spec: { replicas: 0, selector: { matchLabels: { app: "web" } } } });
    const bytes = await call(`${path}/web`, { accept: "application/vnd.kubernetes.protobuf" });
    expect(await decodeProtobuf(bytes)).toEqual(json);
  });
});

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly Discovered[] }[];
  }[];
}

interface Discovered {
  readonly resource: string;
  readonly responseKind: { group: string; version: string; kind: string };
  readonly scope: string;
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: { group: string; version: string; kind: string };
    readonly verbs: readonly string[];
  }[];
}

/** Discovery omits the group of a kind if it is that of the enclosing list. */
function readGroup({ metadata, versions }: Discovery["items"][number]): object[] {
  const group = metadata.name ?? "";
  return versions.flatMap(({ version, resources }) =>
    resources.map(({ subresources = [], shortNames = [], categories = [], ...resource }) => ({
      group,
      version,
      kind: resource.responseKind.kind,
      plural: resource.resource,
      singular: resource.singularResource,
      scope: resource.scope,
      verbs: resource.verbs,
      shortNames,
      categories,
      subresources: subresources.map(({ subresource, responseKind, verbs }) => ({
        name: subresource,
        group: responseKind.version === "" ? group : responseKind.group,
        version: responseKind.version || version,
        kind: responseKind.kind,
        verbs,
      })),
    })),
  );
}

function asDiscovered(resource: BuiltinResource): object {
  const { group, version, kind, plural, singular, scope, verbs, shortNames, categories, subresources } =
    resource;
  return { group, version, kind, plural, singular, scope, verbs, shortNames, categories, subresources };
}

function pathOf({ group, version, plural }: BuiltinResource): string {
  return group === "" ? `/api/${version}/${plural}` : `/apis/${group}/${version}/${plural}`;
}

type Definition = Record<string, unknown>;

/** A type of the tables in the form of the OpenAPI document. */
function toDefinition(schema: BuiltinSchema, { isReference = true } = {}): Definition {
  const { typeName, properties, items, additionalProperties, default: _, ...facts } = schema;
  // No document has the values that the server sets, or its feature gates.
  const { serverDefault: _set, featureGates: _gates, ...words } = facts;
  if (isReference && typeName !== undefined) {
    const own = Object.entries(words).filter(([word]) => word.startsWith("x-kubernetes-patch"));
    return { ...Object.fromEntries(own), $ref: `#/definitions/${definitionName(typeName)}` };
  }
  return {
    ...words,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, toDefinition(child)]),
      ),
    }),
    ...(items && { items: toDefinition(items) }),
    ...(additionalProperties && { additionalProperties: toDefinition(additionalProperties) }),
  };
}

/** The OpenAPI document without descriptions and without facts that the tables have from other sources. */
function known(definition: Definition): Definition {
  const left = new Set(["description", "x-kubernetes-group-version-kind", "x-kubernetes-unions"]);
  const entries = Object.entries(definition).filter(([word]) => !left.has(word));
  const result = Object.fromEntries(entries.map(([word, value]) => [word, knownWord(word, value)]));
  // A certificate is one value; that it is a list of bytes has no meaning.
  if (result["type"] === "string") delete result["x-kubernetes-list-type"];
  // Go lists fields in the order of declaration, which no document has.
  if (result["required"]) result["required"] = (result["required"] as string[]).toSorted();
  // A reference's type defines how it is merged.
  if (result["$ref"] !== undefined) delete result["x-kubernetes-map-type"];
  return result;
}

function knownWord(word: string, value: unknown): unknown {
  if (word === "properties") {
    const entries = Object.entries(value as Record<string, Definition>);
    return Object.fromEntries(entries.map(([name, child]) => [name, known(child)]));
  }
  const isSchema = word === "items" || word === "additionalProperties";
  return isSchema ? known(value as Definition) : value;
}
