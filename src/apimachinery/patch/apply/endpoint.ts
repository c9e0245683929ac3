import type { JSONObject } from "../../json/index.ts";
import type { SchemaNode } from "../schema-node.ts";
import { type FieldSet, differenceBelow, fieldElement, fieldSetOf, isEmptySet } from "./field-set.ts";

/** The endpoint of a write: a version of a kind, or a subresource. */
export interface Endpoint {
  readonly apiVersion: string;
  readonly kind: string;
  /** `status`, `scale` …; undefined for the object itself. */
  readonly subresource?: string | undefined;
  /**
   * The fields that a write through this endpoint can't change, as paths of member names: `[["status"]]` for most
   * kinds, `[["spec"]]` for their status. Such a write doesn't own them.
   */
  readonly resetFields?: readonly (readonly string[])[];
  /**
   * An empty object of the kind. That of a built-in kind has the required structs (`{ spec: { template: {} } }`), which
   * nobody owns; that of a custom resource is empty.
   */
  readonly emptyObject?: JSONObject | undefined;
  /** Returns the schema of a version, with metadata. Without a schema, types are inferred from the values. */
  schemaOf(apiVersion: string): SchemaNode | undefined;
  /**
   * Converts an object to another version of its kind; returns `undefined` for an unknown version. Default: sets
   * `apiVersion`, because the versions differ in nothing else. It throws a SchemaMismatchError for an object that doesn't
   * match the other version's schema.
   */
  convert?(object: JSONObject, apiVersion: string): JSONObject | undefined | Promise<JSONObject | undefined>;
}

/** Returns a set without the fields that a write through the endpoint can't change. */
export function withoutResetFields(set: FieldSet, endpoint: Endpoint): FieldSet {
  const paths = endpoint.resetFields ?? [];
  if (paths.length === 0 || isEmptySet(set)) return set;
  return differenceBelow(set, fieldSetOf(...paths.map((path) => path.map(fieldElement))));
}

/**
 * Converts an object to a version; returns the object itself if it has that version, undefined for an unknown version.
 * @throws SchemaMismatchError that begins with `failure` if the endpoint can't convert it
 */
export async function convertToVersion(
  object: JSONObject,
  apiVersion: string,
  endpoint: Endpoint,
  failure?: string,
): Promise<JSONObject | undefined> {
  if (object["apiVersion"] === apiVersion) return object;
  if (!endpoint.convert) return { ...object, apiVersion };
  try {
    return await endpoint.convert(object, apiVersion);
  } catch (error) {
    if (failure === undefined || !(error instanceof SchemaMismatchError)) throw error;
    throw new SchemaMismatchError(`${failure}: ${error.message}`);
  }
}

/** An object that doesn't match the schema of its kind. The API server responds with 500 and this message. */
export class SchemaMismatchError extends Error {
  override readonly name = "SchemaMismatchError";
}
