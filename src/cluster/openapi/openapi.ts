// OpenAPI documents. This file serves them, and makes the v3 document of a group version from its `operations.ts` and
// the definitions of `schema-writer.ts`; `swagger.ts` converts all of them to v2.

import { createHash } from "node:crypto";
import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import type { BuiltinSchema } from "@tsbuilder/apimachinery/kinds";
import { definitionName, findResource, loadSchemas, moduleOf } from "@tsbuilder/apimachinery/kinds";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { groupsOf } from "../discovery/handle-discovery.ts";
import { versionInfo } from "../contract/version.ts";
import type { Core } from "../registry/core.ts";
import { type Reply, type RequestContext, jsonReply } from "../http/request-context.ts";
import { SwaggerDocument } from "./swagger.ts";
import { SchemaWriter, loadMeta, metaReferences, writeDocument } from "./schema-writer.ts";
import type { BodyReferences, MetaType } from "./operations.ts";
import { contentOf, discoveryPath, groupNames, mediaTypes, pathsOf, responses } from "./operations.ts";
import { type Resource, subresourcesIn } from "../registry/resource.ts";
import { resourcesIn } from "../registry/registry.ts";

type Json = JSONObject<unknown>;

/**
 * Serves `/openapi/v3`, an index with a document for each group, group version and other service, made on request; and
 * `/openapi/v2`, one document for all.
 */
export class OpenAPI {
  readonly #core: Pick<Core, "registry" | "slices">;
  readonly #documents = new Map<string, { readonly hash: string; readonly body: Buffer }>();
  #swagger: SwaggerDocument | undefined;

  constructor(core: Pick<Core, "registry" | "slices">) {
    this.#core = core;
  }

  /** Returns undefined for other paths. */
  async handle({ info, query, request }: RequestContext): Promise<Reply | undefined> {
    if (info.path === "/openapi/v2") return this.#answerV2(request);
    const found = /^\/openapi\/v3(?:\/(.*))?$/.exec(info.path);
    if (!found) return undefined;
    const path = found[1] ?? "";
    if (path === "") return jsonReply({ paths: this.#index() });
    const hash = this.#hashes().get(path);
    if (hash === undefined) return undefined;
    const asked = query.get("hash");
    if (asked !== null && asked !== hash) return { code: 301, headers: { Location: urlOf(path, hash) } };
    const headers = { ETag: `"${hash}"`, Vary: "Accept" };
    if (request.headers["if-none-match"] === `"${hash}"`) return { code: 304, headers };
    const immutable = asked !== null && { "Cache-Control": "public, immutable", Expires: inOneYear() };
    const body = await this.#document(path, hash);
    return { code: 200, contentType: "application/json", headers: { ...headers, ...immutable }, body };
  }

  async #answerV2(request: RequestContext["request"]): Promise<Reply> {
    const hashes = this.#hashes();
    const state = [...hashes.values()].join();
    const swagger = this.#swagger?.isOf(state) ? this.#swagger : this.#makeSwagger(state, hashes);
    try {
      return await swagger.answer(request);
    } catch (error) {
      this.#discard(swagger);
      throw error;
    }
  }

  #makeSwagger(state: string, hashes: ReadonlyMap<string, string>): SwaggerDocument {
    const { slices } = this.#core;
    const swagger = new SwaggerDocument({ state, slices, read: () => this.#read(hashes, swagger) });
    this.#swagger = swagger;
    return swagger;
  }

  async *#read(hashes: ReadonlyMap<string, string>, asked: SwaggerDocument): AsyncGenerator<Buffer> {
    const { registry } = this.#core;
    const { generation } = registry;
    for (const [path, hash] of hashes) yield this.#document(path, hash);
    // The served resources have changed meanwhile: some documents are newer than others.
    if (generation !== registry.generation) this.#discard(asked);
  }

  /** Drops a document, unless its successor has replaced it already. */
  #discard(swagger: SwaggerDocument): void {
    if (this.#swagger === swagger) this.#swagger = undefined;
  }

  #index(): Record<string, { serverRelativeURL: string }> {
    const entries = [...this.#hashes()].map(
      ([path, hash]) => [path, { serverRelativeURL: urlOf(path, hash) }] as const,
    );
    return Object.fromEntries(entries);
  }

  /** The hashes of the documents, computed from their inputs, so that the index does not need the documents. */
  #hashes(): Map<string, string> {
    const hashes = new Map(servicePaths.map((path) => [path, hashOf([path])]));
    for (const { name, versions } of groupsOf(this.#core.registry)) {
      const isBuiltIn = this.#core.registry.all().some(({ group, custom }) => group === name && !custom);
      if (isBuiltIn && name !== "") hashes.set(`apis/${name}`, hashOf([name]));
      for (const version of versions) {
        const served = resourcesIn(this.#core.registry, name, version).map(
          ({ plural, kind, subresources, versions: all }) => [
            plural,
            kind,
            [...subresources.keys()],
            all.find((each) => each.name === version)?.schema?.compiled?.schema,
          ],
        );
        const path = name === "" ? `api/${version}` : `apis/${name}/${version}`;
        hashes.set(path, hashOf([name, version, served]));
      }
    }
    return new Map([...hashes].sort(([a], [b]) => compareText(a, b)));
  }

  async #document(path: string, hash: string): Promise<Buffer> {
    const known = this.#documents.get(path);
    if (known?.hash === hash) return known.body;
    const { generation } = this.#core.registry;
    const body = Buffer.from(JSON.stringify(await this.#make(path)));
    // If the registry has changed, the document may not belong to the hash.
    if (generation === this.#core.registry.generation) this.#documents.set(path, { hash, body });
    return body;
  }

  #make(path: string): Promise<Json> {
    const [, group = "", version] = /^api(?:s\/([^/]+))?\/([^/]+)$/u.exec(path) ?? [];
    return version === undefined ? serviceDocument(path) : groupDocument(this.#core, group, version);
  }
}

/** A path that is served besides those of kinds, for GET. */
interface ServedPath {
  readonly tag: string;
  readonly description: string;
  readonly operationId: string;
  /** The type of the response, or the media type of a text. */
  readonly answer: MetaType | { readonly text: string } | "version";
}

const services: Readonly<Record<string, ServedPath>> = {
  ".well-known/openid-configuration": {
    tag: "WellKnown",
    description: "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
    operationId: "getServiceAccountIssuerOpenIDConfiguration",
    answer: { text: "application/json" },
  },
  api: {
    tag: "core",
    description: "get available API versions",
    operationId: "getCoreAPIVersions",
    answer: "APIVersions",
  },
  apis: {
    tag: "apis",
    description: "get available API versions",
    operationId: "getAPIVersions",
    answer: "APIGroupList",
  },
  "openid/v1/jwks": {
    tag: "openid",
    description:
      "get service account issuer OpenID JSON Web Key Set (contains public token verification keys)",
    operationId: "getServiceAccountIssuerOpenIDKeyset",
    answer: { text: "application/jwk-set+json" },
  },
  version: {
    tag: "version",
    description: "get the version information for this server",
    operationId: "getCodeVersion",
    answer: "version",
  },
};

const servicePaths: readonly string[] = Object.keys(services);

const versionName = "io.k8s.apimachinery.pkg.version.Info";

const optional = new Set([
  "emulationMajor",
  "emulationMinor",
  "minCompatibilityMajor",
  "minCompatibilityMinor",
]);

const always = Object.keys(versionInfo).filter((name) => !optional.has(name));

const versionSchema: Json = {
  type: "object",
  required: always,
  properties: Object.fromEntries([
    ...always.map((name) => [name, { type: "string", default: "" }]),
    ...[...optional].map((name) => [name, { type: "string" }]),
  ]),
};

/** Makes the OpenAPI v3 document of a service; `apis/apps` describes the group. */
async function serviceDocument(path: string): Promise<Json> {
  const { tag, description, operationId, answer } =
    services[path] ?? groupService(path.slice("apis/".length));
  const types = await loadMeta();
  const writer = new SchemaWriter(types);
  const meta = metaReferences(writer, types, { group: "", version: "v1" });
  const content = (): Json => {
    if (answer === "version")
      return contentOf(writer.define(versionName, versionSchema), ["application/json"]);
    if (typeof answer === "object") return contentOf({ type: "string" }, [answer.text]);
    return contentOf(meta(answer), mediaTypes);
  };
  const get = { tags: [tag], description, operationId, responses: responses(content()) };
  return writeDocument({ [`/${path}/`]: { get } }, writer);
}

function groupService(group: string): ServedPath {
  const { tag, title } = groupNames(group);
  return {
    tag,
    description: "get information of a group",
    operationId: `get${title}APIGroup`,
    answer: "APIGroup",
  };
}

function hashOf(input: unknown): string {
  return createHash("sha512").update(JSON.stringify(input)).digest("hex").toUpperCase();
}

function urlOf(path: string, hash: string): string {
  return `/openapi/v3/${path}?hash=${hash}`;
}

function inOneYear(): string {
  return new Date(Date.now() + 365 * 24 * 3600 * 1000).toUTCString();
}

/** Makes the OpenAPI v3 document of one group version. */
async function groupDocument(
  { registry, slices }: Pick<Core, "registry" | "slices">,
  group: string,
  version: string,
): Promise<Json> {
  const types = await loadMeta();
  const writer = new SchemaWriter(types);
  const meta = metaReferences(writer, types, { group, version });
  const resources = resourcesIn(registry, group, version);
  const custom = resources.every((resource) => resource.custom);
  const paths = custom ? {} : discoveryPath(group, version, { meta });
  const pause = slices.begin();
  for (const resource of resources) {
    const name = await define(writer, resource, version);
    const bodies = await subresourceBodies(writer, resource, version);
    const references: BodyReferences = {
      kind: writer.referTo(name),
      list: writer.referTo(`${name}List`),
      subresource: (subresource) => bodies.get(subresource),
      meta,
    };
    Object.assign(paths, pathsOf(resource, version, references));
    await pause();
  }
  return writeDocument(paths, writer, { custom });
}

/** Adds the schemas of subresource bodies of other kinds, and returns references to them. */
async function subresourceBodies(
  writer: SchemaWriter,
  resource: Resource,
  version: string,
): Promise<ReadonlyMap<string, Json>> {
  const references = new Map<string, Json>();
  for (const [name, { body }] of subresourcesIn(resource, version)) {
    if (!body) continue;
    const schema = (await loadSchemas(moduleOf(body), { descriptions: true }))?.get(body.kind);
    if (!schema) continue;
    references.set(name, writer.reference(schema));
    const { group, version: bodyVersion, kind } = body;
    writer.definitions[definitionName(schema.typeName!)]!["x-kubernetes-group-version-kind"] = [
      { group, kind, version: bodyVersion },
    ];
  }
  return references;
}

/** Adds the schemas of a kind and its list, and returns the kind's name in the document. */
async function define(writer: SchemaWriter, resource: Resource, version: string): Promise<string> {
  if (resource.custom) return defineCustom(writer, resource, version);
  const type = findResource({ group: resource.group, version }, resource.plural)!.type;
  const dot = type.lastIndexOf(".");
  const table = await loadSchemas(type.slice(0, dot), { descriptions: true });
  for (const kind of [type.slice(dot + 1), resource.listKind]) {
    const schema = table?.get(kind);
    if (schema) writer.reference(schema);
  }
  return definitionName(type);
}

async function defineCustom(writer: SchemaWriter, resource: Resource, version: string): Promise<string> {
  const meta = await loadMeta();
  writer.reference(meta.get("ObjectMeta")!);
  writer.reference(meta.get("ListMeta")!);
  const schema = resource.versions.find(({ name }) => name === version)?.schema?.compiled
    ?.schema as JSONSchema;
  const core = (await loadSchemas("core/v1", { descriptions: true }))!;
  const described = { kind: core.get("Pod")!, list: core.get("PodList")! };
  const { name, kind, list } = customDefinition(resource, version, schema, described);
  writer.definitions[name] = kind;
  writer.definitions[`${name}List`] = list;
  return name;
}

const objectMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

const listMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/** A built-in kind and its list: custom resources share the descriptions of the fields that every kind has. */
interface DescribedKind {
  readonly kind: BuiltinSchema;
  readonly list: BuiltinSchema;
}

/** The definitions of a custom resource and its list, named by the reversed group: `com.example.v1.Database`. */
function customDefinition(
  { group, plural, kind, listKind }: Resource,
  version: string,
  schema: JSONSchema,
  described: DescribedKind,
): { name: string; kind: Json; list: Json } {
  const name = `${group.split(".").toReversed().join(".")}.${version}.${kind}`;
  const published = publish(schema, described.kind);
  const gvk = (of: string) => [{ group, kind: of, version }];
  return {
    name,
    kind: {
      ...published,
      properties: commonFields(described.kind, objectMeta, published["properties"] as Json),
      "x-kubernetes-group-version-kind": gvk(kind),
    },
    list: {
      type: "object",
      description: `${listKind} is a list of ${kind}`,
      required: ["items"],
      properties: {
        ...commonFields(described.list, listMeta),
        items: {
          type: "array",
          description: `List of ${plural}. More info: ${conventions}`,
          items: { $ref: `#/components/schemas/${name}` },
        },
      },
      "x-kubernetes-group-version-kind": gvk(listKind),
    },
  };
}

function commonFields({ properties }: BuiltinSchema, metadata: string, own: Json = {}): Json {
  const text = (field: string) => ({ type: "string", description: properties![field]!.description });
  return {
    apiVersion: text("apiVersion"),
    kind: text("kind"),
    ...own,
    metadata: { description: properties!["metadata"]!.description, allOf: [{ $ref: metadata }] },
  };
}

/** Adds the types of int-or-string and the fields of embedded objects, as Kubernetes does when it publishes. */
function publish(schema: JSONSchema, described: BuiltinSchema): Json {
  const { properties = {}, items, additionalProperties, required = [] } = schema;
  const publishInner = (inner: unknown): unknown =>
    typeof inner === "object" ? publish(inner as JSONSchema, described) : inner;
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, publish(field, described)]),
  );
  return {
    ...(schema["x-kubernetes-int-or-string"] && { anyOf: [{ type: "integer" }, { type: "string" }] }),
    ...schema,
    ...(schema.properties && { properties: fields }),
    ...(items !== undefined && { items: publishInner(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: publishInner(additionalProperties) }),
    ...(schema["x-kubernetes-embedded-resource"] === true && {
      properties: commonFields(described, objectMeta, fields),
      required: [...new Set([...required, "kind", "apiVersion"])],
    }),
  };
}
