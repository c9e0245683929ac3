import type { JSONObject } from "../../json/index.ts";
import type { SchemaNode } from "../schema-node.ts";
import { differenceBelow, type FieldSet, fieldSetOf } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";

/** The endpoint through which an object is written: a kind in one version, or a subresource of it. */
export interface Endpoint {
  readonly apiVersion: string;
  readonly kind: string;
  /** `status`, `scale` …; none for the object itself. */
  readonly subresource?: string | undefined;
  /**
   * The fields that a write through this endpoint can't change, as paths of member names: `[["status"]]` for
   * most kinds, `[["spec"]]` for their status. Nobody comes to own them here.
   */
  readonly resetFields?: readonly (readonly string[])[];
  /**
   * What an object of the kind holds before anything is said about it. A built-in kind has its required structs
   * then (`{ spec: { template: {} } }`), which nobody comes to own; a custom resource has nothing.
   */
  readonly emptyObject?: JSONObject | undefined;
  /** The schema of the kind in a version, with that of its metadata; none is read off the values. */
  schemaOf(apiVersion: string): SchemaNode | undefined;
  /**
   * Brings an object into another version of its kind; `undefined` if that version is no longer known.
   * Needed only for kinds with several versions. Without it, versions differ in nothing but their name.
   */
  convert?(object: JSONObject, apiVersion: string): JSONObject | undefined | Promise<JSONObject | undefined>;
}

/** Takes the fields that an endpoint resets out of a set. */
export function withoutResetFields(set: FieldSet, endpoint: Endpoint): FieldSet {
  const paths = endpoint.resetFields ?? [];
  return differenceBelow(set, fieldSetOf(...paths.map((path) => path.map(fieldElement))));
}

/** Brings an object into a version; the endpoint's own costs nothing. */
export async function inVersion(
  object: JSONObject,
  apiVersion: string,
  endpoint: Endpoint,
): Promise<JSONObject | undefined> {
  if (object["apiVersion"] === apiVersion) return object;
  if (!endpoint.convert) return { ...object, apiVersion };
  return endpoint.convert(object, apiVersion);
}
