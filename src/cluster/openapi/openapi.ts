// OpenAPI documents. This file serves them, and makes the v3 document of a group version from the paths of
// `operations.ts` and the definitions of `schema-writer.ts` and `custom-definition.ts`; `swagger.ts` converts all to v2.

import { createHash } from "node:crypto";
import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import { defaultRelease, definitionName, findResource, moduleOf } from "@tsbuilder/apimachinery/kinds";
import { groupsOf } from "../discovery/handle-discovery.ts";
import { servedRelease, versionInfo } from "../contract/version.ts";
import type { Core } from "../registry/core.ts";
import { type Reply, type RequestContext, jsonReply } from "../http/request-context.ts";
import { defineCustom } from "./custom-definition.ts";
import { SwaggerDocument } from "./swagger.ts";
import { SchemaWriter, loadDescribed, loadMeta, metaReferences, writeDocument } from "./schema-writer.ts";
import type { BodyReferences, MetaType } from "./operations.ts";
import { contentOf, discoveryPath, groupNames, mediaTypes, pathsOf, responses } from "./operations.ts";
import { type Resource, subresourcesIn } from "../registry/resource.ts";
import { resourcesIn } from "../registry/registry.ts";

type Json = JSONObject<unknown>;

/** Serves `/openapi/v3`, an index of documents that are made on request, and `/openapi/v2`, one document for all. */
export class OpenAPI {
  readonly #core: Pick<Core, "registry" | "slices">;
  readonly #documents = new Map<string, { readonly hash: string; readonly body: Buffer }>();
  #swagger: SwaggerDocument | undefined;

  constructor(core: Pick<Core, "registry" | "slices">) {
    this.#core = core;
  }

  /** Answers a request for a document or the index; undefined for other paths. */
  async handle({ info, query, request }: RequestContext): Promise<Reply | undefined> {
    if (info.path === "/openapi/v2") return this.#answerV2(request);
    const match = /^\/openapi\/v3(?:\/(.*))?$/.exec(info.path);
    if (!match) return undefined;
    const path = match[1] ?? "";
    if (path === "") return jsonReply({ paths: this.#index() });
    const hash = this.#hashes().get(path);
    if (hash === undefined) return undefined;
    const requestedHash = query.get("hash");
    // As on the real server, an outdated hash is redirected to the current one, and a response by hash never expires.
    if (requestedHash !== null && requestedHash !== hash)
      return { code: 301, headers: { Location: urlOf(path, hash) } };
    const headers = { ETag: `"${hash}"`, Vary: "Accept" };
    if (request.headers["if-none-match"] === `"${hash}"`) return { code: 304, headers };
    const inOneYear = new Date(Date.now() + 365 * 24 * 3600 * 1000).toUTCString();
    const immutable = requestedHash !== null && { "Cache-Control": "public, immutable", Expires: inOneYear };
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
    const swagger = new SwaggerDocument({ state, slices, read: () => this.#readAll(hashes, swagger) });
    this.#swagger = swagger;
    return swagger;
  }

  /** Reads all v3 documents for a v2 document. */
  async *#readAll(hashes: ReadonlyMap<string, string>, swagger: SwaggerDocument): AsyncGenerator<Buffer> {
    const { registry } = this.#core;
    const { generation } = registry;
    for (const [path, hash] of hashes) yield this.#document(path, hash);
    // The served resources have changed meanwhile: some documents are newer than others.
    if (generation !== registry.generation) this.#discard(swagger);
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
        const served = resourcesIn(this.#core.registry, name, version).map((resource) => [
          resource.plural,
          resource.kind,
          [...resource.subresources.keys()],
          resource.versions.find((candidate) => candidate.name === version)?.schema?.compiled?.schema,
        ]);
        const path = name === "" ? `api/${version}` : `apis/${name}/${version}`;
        hashes.set(path, hashOf([name, version, served]));
      }
    }
    return new Map([...hashes].sort(([a], [b]) => compareText(a, b)));
  }

  async #document(path: string, hash: string): Promise<Buffer> {
    const cached = this.#documents.get(path);
    if (cached?.hash === hash) return cached.body;
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

/** A path for GET that is not of a kind: discovery, the version, the keys of service accounts. */
interface ServiceOperation {
  readonly tag: string;
  readonly description: string;
  readonly operationId: string;
  /** The type in meta/v1, the media type of a text, or the server's version. */
  readonly response: MetaType | { readonly text: string } | "version";
}

const services: Readonly<Record<string, ServiceOperation>> = {
  ".well-known/openid-configuration": {
    tag: "WellKnown",
    description: "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
    operationId: "getServiceAccountIssuerOpenIDConfiguration",
    response: { text: "application/json" },
  },
  api: {
    tag: "core",
    description: "get available API versions",
    operationId: "getCoreAPIVersions",
    response: "APIVersions",
  },
  apis: {
    tag: "apis",
    description: "get available API versions",
    operationId: "getAPIVersions",
    response: "APIGroupList",
  },
  "openid/v1/jwks": {
    tag: "openid",
    description:
      "get service account issuer OpenID JSON Web Key Set (contains public token verification keys)",
    operationId: "getServiceAccountIssuerOpenIDKeyset",
    response: { text: "application/jwk-set+json" },
  },
  version: {
    tag: "version",
    description: "get the version information for this server",
    operationId: "getCodeVersion",
    response: "version",
  },
};

const servicePaths: readonly string[] = Object.keys(services);
const versionType = "io.k8s.apimachinery.pkg.version.Info";

/** The fields that Go omits if they are empty. */
const optionalFields = ["emulationMajor", "emulationMinor", "minCompatibilityMajor", "minCompatibilityMinor"];
const requiredFields = Object.keys(versionInfo(defaultRelease)).filter(
  (name) => !optionalFields.includes(name),
);

const versionSchema: Json = {
  type: "object",
  required: requiredFields,
  properties: Object.fromEntries([
    ...requiredFields.map((name) => [name, { type: "string", default: "" }]),
    ...optionalFields.map((name) => [name, { type: "string" }]),
  ]),
};

/** Makes the OpenAPI v3 document of a service; `apis/apps` describes the group. */
async function serviceDocument(path: string): Promise<Json> {
  const { tag, description, operationId, response } =
    services[path] ?? groupOperation(path.slice("apis/".length));
  const types = await loadMeta();
  const writer = new SchemaWriter(types);
  const meta = metaReferences(writer, types, { group: "", version: "v1" });
  const content = (): Json => {
    if (response === "version")
      return contentOf(writer.define(versionType, versionSchema), ["application/json"]);
    if (typeof response === "object") return contentOf({ type: "string" }, [response.text]);
    return contentOf(meta(response), mediaTypes);
  };
  const get = { tags: [tag], description, operationId, responses: responses(content()) };
  return writeDocument({ [`/${path}/`]: { get } }, writer);
}

function groupOperation(group: string): ServiceOperation {
  const { tag, title } = groupNames(group);
  const operationId = `get${title}APIGroup`;
  return { tag, description: "get information of a group", operationId, response: "APIGroup" };
}

function hashOf(input: unknown): string {
  return createHash("sha512")
    .update(JSON.stringify([servedRelease(), input]))
    .digest("hex")
    .toUpperCase();
}

function urlOf(path: string, hash: string): string {
  return `/openapi/v3/${path}?hash=${hash}`;
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
  const isCustom = resources.every(({ custom }) => custom);
  const paths = isCustom ? {} : discoveryPath(group, version, { meta });
  const pause = slices.begin();
  for (const resource of resources) {
    const name = await defineKind(writer, resource, version);
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
  return writeDocument(paths, writer, { custom: isCustom });
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
    const schema = (await loadDescribed(moduleOf(body)))?.get(body.kind);
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
async function defineKind(writer: SchemaWriter, resource: Resource, version: string): Promise<string> {
  if (resource.custom) return defineCustom(writer, resource, version);
  const type = findResource({ group: resource.group, version }, resource.plural, servedRelease())!.type;
  const dot = type.lastIndexOf(".");
  const table = await loadDescribed(type.slice(0, dot));
  for (const kind of [type.slice(dot + 1), resource.listKind]) {
    const schema = table?.get(kind);
    if (schema) writer.reference(schema);
  }
  return definitionName(type);
}
