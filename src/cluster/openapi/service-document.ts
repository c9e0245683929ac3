import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { writeDocument } from "./document.ts";
import { loadMeta, metaReferences } from "./meta-references.ts";
import { groupNames } from "./operation-id.ts";
import { SchemaWriter } from "./schema-writer.ts";
import { contentOf, type MetaType, mediaTypes, responses } from "./sketch.ts";

/** What is served beside the kinds, at one path and for GET. */
interface ServedPath {
  readonly tag: string;
  readonly description: string;
  readonly operationId: string;
  /** The type of the answer, or the media type of a text. */
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

export const servicePaths: readonly string[] = Object.keys(services);

/** Makes the OpenAPI v3 document of a service; `apis/apps` describes the group. */
export async function serviceDocument(path: string): Promise<JSONObject<unknown>> {
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
