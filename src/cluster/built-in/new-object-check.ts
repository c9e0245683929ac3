import type { FieldError } from "@tsbuilder/apimachinery/errors";
import { copyJSON, type JSONObject } from "@tsbuilder/apimachinery/json";
import {
  DecodeError,
  decodeBuiltIn,
  findKind as findResource,
  loadSchemas,
  moduleOf,
  type SchemaTable,
} from "@tsbuilder/apimachinery/kinds";
import { type KubernetesObject, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";
import { provideTables } from "../kinds/checks/known-values.ts";
import { servedRelease } from "../contract/version.ts";
import type { WriteRequest } from "../registry/resource.ts";
import { Store } from "../storage/store.ts";
import { findKind } from "./built-in-resource.ts";

/**
 * Finds what is wrong with a new object of a built-in kind, once the defaults are set. Its metadata isn't validated. An object
 * that can't be decoded has no errors.
 */
export type NewObjectCheck = (sent: KubernetesObject) => FieldError[];

/** Loads the API server's validation of the kinds of some API versions, for callers that ask for it without a server. */
export async function loadNewObjectCheck(apiVersions: readonly string[]): Promise<NewObjectCheck> {
  const release = servedRelease();
  const tables = new Map<string, SchemaTable>();
  for (const apiVersion of apiVersions) {
    const table = (await loadSchemas(moduleOf(parseApiVersion(apiVersion)), { release }))!;
    provideTables(table);
    tables.set(apiVersion, table);
  }
  const store = new Store();
  return (sent) => {
    const resource = findResource(parseApiVersion(sent.apiVersion), sent.kind, release)!;
    const { strategy } = findKind(resource) ?? {};
    const { default: setDefaults, validate } =
      (typeof strategy === "function" ? strategy(store) : strategy) ?? {};
    const object = decoded(sent, tables.get(sent.apiVersion)!);
    if (!object) return [];
    const request = { subresource: "", verb: "create", now: 0, dryRun: true } as unknown as WriteRequest;
    setDefaults?.(object, request);
    const problems = validate?.(object, request) ?? [];
    return Array.isArray(problems) ? problems : [];
  };
}

function decoded(sent: KubernetesObject, table: SchemaTable): ApiObject | undefined {
  try {
    const copy = copyJSON(sent as unknown as JSONObject);
    return decodeBuiltIn(copy, table.get(sent.kind)!).object as unknown as ApiObject;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
