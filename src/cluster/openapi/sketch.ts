import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { Resource, SubresourceInfo } from "../registry/resource.ts";
import type { Parameter } from "./parameters.ts";

export type Reference = JSONObject<unknown>;

/** References to the definitions of what requests and responses hold. */
export interface BodyReferences {
  readonly kind: Reference;
  readonly list: Reference;
  /** The body of a subresource, if it isn't the kind. */
  readonly subresource: (name: string) => Reference | undefined;
  readonly meta: (name: MetaType) => Reference;
}

/** The types of meta/v1 that requests and responses hold. */
export type MetaType =
  | "APIGroup"
  | "APIGroupList"
  | "APIResourceList"
  | "APIVersions"
  | "DeleteOptions"
  | "Patch"
  | "Status"
  | "WatchEvent";

/** An operation, before it has its path and its tag. */
export interface Sketch {
  readonly method: string;
  readonly action: string;
  /** The beginning of the operation's name, and what comes behind the group version. */
  readonly name: readonly [verb: string, rest: string];
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: JSONObject<unknown>;
  readonly responses: JSONObject<unknown>;
  /** The kind that is sent, if it isn't the resource's. */
  readonly body?: SubresourceInfo["body"];
}

/** What the operations on objects, or on a subresource of theirs, have in common. */
export interface Target {
  readonly resource: Resource;
  readonly references: BodyReferences;
  /** The subresource, or nothing. */
  readonly name: string;
  readonly schema: Reference;
  readonly body?: SubresourceInfo["body"];
}

export const mediaTypes = ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"];
export const streamTypes = mediaTypes.flatMap((type) =>
  type === "application/yaml" ? [type] : [type, `${type};stream=watch`],
);
export const customTypes = ["application/json", "application/yaml"];

const statuses: Readonly<Record<string, string>> = {
  "200": "OK",
  "201": "Created",
  "202": "Accepted",
  "401": "Unauthorized",
};

export function contentOf(schema: Reference, types: readonly string[]): JSONObject<unknown> {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

/** Answers with the same content, and the one without credentials. */
export function responses(
  content: JSONObject<unknown>,
  codes: readonly string[] = ["200"],
): JSONObject<unknown> {
  const answered = codes.map((code) => [code, { description: statuses[code], content }]);
  return { ...Object.fromEntries(answered), "401": { description: statuses["401"] } };
}
