// OpenAPI documents. This file serves them; `group-document.ts` makes the v3 document of a group version from its
// `operations.ts` and the definitions of `schema-writer.ts`, and `swagger.ts` converts all of them to v2.

import { createHash } from "node:crypto";
import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import { groupsOf } from "../discovery/handle-discovery.ts";
import type { Core } from "../registry/core.ts";
import { jsonReply } from "../http/reply.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { groupDocument } from "./group-document.ts";
import { SwaggerDocument } from "./swagger.ts";
import { SchemaWriter, loadMeta, metaReferences, writeDocument } from "./schema-writer.ts";
import { type MetaType, contentOf, groupNames, mediaTypes, responses } from "./operations.ts";

interface Document {
  readonly hash: string;
  readonly body: Buffer;
}

/**
 * Serves `/openapi/v3`, an index with a document for each group, group version and other service, made on request; and
 * `/openapi/v2`, one document for all.
 */
export class OpenAPI {
  readonly #core: Pick<Core, "registry" | "slices">;
  readonly #documents = new Map<string, Document>();
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
        const served = this.#core.registry
          .all()
          .filter(
            (resource) => resource.group === name && resource.versions.some((each) => each.name === version),
          )
          .map(({ plural, kind, subresources, versions: all }) => [
            plural,
            kind,
            [...subresources.keys()],
            all.find((each) => each.name === version)?.schema?.compiled?.schema,
          ]);
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

  #make(path: string): Promise<JSONObject<unknown>> {
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

/** Makes the OpenAPI v3 document of a service; `apis/apps` describes the group. */
async function serviceDocument(path: string): Promise<JSONObject<unknown>> {
  const { tag, description, operationId, answer } =
    services[path] ?? groupService(path.slice("apis/".length));
  const types = await loadMeta();
  const writer = new SchemaWriter(types);
  const meta = metaReferences(writer, types, { group: "", version: "v1" });
  const content = (): JSONObject<unknown> => {
    if (answer === "version") return contentOf(writer.define(versionName, versionInfo), ["application/json"]);
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

const versionName = "io.k8s.apimachinery.pkg.version.Info";

const always = [
  "major",
  "minor",
  "gitVersion",
  "gitCommit",
  "gitTreeState",
  "buildDate",
  "goVersion",
  "compiler",
  "platform",
];

const optional = ["emulationMajor", "emulationMinor", "minCompatibilityMajor", "minCompatibilityMinor"];

const versionInfo: JSONObject<unknown> = {
  type: "object",
  required: always,
  properties: Object.fromEntries([
    ...always.map((name) => [name, { type: "string", default: "" }]),
    ...optional.map((name) => [name, { type: "string" }]),
  ]),
};

function hashOf(input: unknown): string {
  return createHash("sha512").update(JSON.stringify(input)).digest("hex").toUpperCase();
}

function urlOf(path: string, hash: string): string {
  return `/openapi/v3/${path}?hash=${hash}`;
}

function inOneYear(): string {
  return new Date(Date.now() + 365 * 24 * 3600 * 1000).toUTCString();
}
