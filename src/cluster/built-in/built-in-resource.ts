import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { isObject, type JSONObject, type JSONValue } from "@tsbuilder/apimachinery/json";
import {
  type BuiltinResource,
  type BuiltinSchema,
  DecodeError,
  decodeBuiltIn,
  convertUnstructured,
  loadSchemas,
} from "@tsbuilder/apimachinery/kinds";
import { badRequest, qualifiedName } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { replaceFields } from "../contract/api-object.ts";
import type { Store } from "../storage/store.ts";
import type { ObjectSchema } from "../registry/object-schema.ts";
import type { Resource, ResourceVersion, Strategy } from "../registry/resource.ts";
import { builtInSubresources } from "./built-in-subresources.ts";
import { conversionOf } from "./conversions.ts";
import { fieldSelectorReaders } from "./field-selectors.ts";
import { findKind } from "./find-kind.ts";
import { dropGatedFields } from "./gated-fields.ts";
import { strategyOf } from "./strategy-of.ts";
import { tableColumns } from "./table-columns.ts";

/** Makes the resource of a built-in kind from the generated tables of its versions, the preferred one first. */
export function builtInResource(store: Store, versions: readonly BuiltinResource[]): Resource {
  const preferred = versions.find(({ isPreferred }) => isPreferred) ?? versions[0]!;
  const known = facts.get(preferred) ?? factsOf(preferred, versions);
  facts.set(preferred, known);
  const { schemas, emptyObject, ...same } = known;
  const { plural, storage } = preferred;
  return {
    ...same,
    ...(emptyObject && { emptyObject }),
    collection: store.collection(qualifiedName({ group: storage.group, plural })),
    strategy: withDecoding(strategyOf(preferred, store), schemas, preferred, emptyObject),
  };
}

/** What is the same in all clusters of this process: simulations start one after the other. */
const facts = new WeakMap<BuiltinResource, Facts>();

interface Facts extends Omit<Resource, "collection" | "strategy"> {
  readonly schemas: LazySchemas;
}

function factsOf(preferred: BuiltinResource, versions: readonly BuiltinResource[]): Facts {
  const { group, plural, kind, singular, storage } = preferred;
  const schemas = new LazySchemas(versions);
  const { emptyObject, zeroValues = {} } = findKind(preferred) ?? {};
  const convert = conversionOf(preferred);
  const ordered = [preferred, ...versions.filter((version) => version !== preferred)];
  const inVersion = (version: string) => apiVersionOf({ group, version });
  const present = convert.presenter(inVersion);
  return {
    group,
    plural,
    kind,
    singular,
    listKind: preferred.listKind ?? `${kind}List`,
    shortNames: preferred.shortNames,
    categories: preferred.categories,
    namespaced: preferred.scope === "Namespaced",
    verbs: preferred.verbs,
    versions: ordered.map((version) => versionOf(version, schemas)),
    ...(storage.group !== group && { kindGroup: storage.group }),
    storageVersion: storage.version,
    ...(preferred.storageVersionHash && { storageVersionHash: preferred.storageVersionHash }),
    schemas,
    subresources: builtInSubresources(preferred),
    custom: false,
    ...(emptyObject && { emptyObject }),
    bookmarkObject: (version) =>
      mergedObjects(emptyObject ?? {}, typeof zeroValues === "function" ? zeroValues(version) : zeroValues),
    load: () => schemas.load(),
    present,
    presentAll: (entries, version) => entries.map((entry) => present(entry, version)),
    convert: (object, version) => convert.object(object, inVersion(version)),
  };
}

/** Schemas are loaded with the first write; reads need none. */
class LazySchemas {
  readonly #versions: readonly BuiltinResource[];
  readonly #schemas = new Map<string, ObjectSchema & { readonly root: BuiltinSchema }>();
  #loading: Promise<void> | undefined;

  constructor(versions: readonly BuiltinResource[]) {
    this.#versions = versions;
  }

  get(version: string): (ObjectSchema & { readonly root: BuiltinSchema }) | undefined {
    return this.#schemas.get(version);
  }

  load(): Promise<void> | undefined {
    if (this.#schemas.size > 0) return undefined;
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<void> {
    for (const { version, type } of this.#versions) {
      const dot = type.lastIndexOf(".");
      const table = await loadSchemas(type.slice(0, dot));
      const root = table?.get(type.slice(dot + 1));
      if (root) this.#schemas.set(version, schemaOf(root));
    }
  }
}

function schemaOf(root: BuiltinSchema): ObjectSchema & { readonly root: BuiltinSchema } {
  return {
    root,
    node: root,
    unknownFields: (object) => decodeBuiltIn(object as Record<string, unknown>, root).unknown,
    convertMerged: (object) => convertUnstructured(object, root),
  };
}

function versionOf(resource: BuiltinResource, schemas: LazySchemas): ResourceVersion {
  const columns = tableColumns(resource);
  const deprecation = findKind(resource)?.deprecation;
  return {
    name: resource.version,
    get schema() {
      return schemas.get(resource.version);
    },
    ...(columns && { columns }),
    ...(deprecation && { deprecation }),
    ...(resource.subresources.some(({ name }) => name === "scale") && { scale }),
  };
}

const scale = { spec: "spec.replicas", status: "status.replicas", selector: "spec.selector" };

/** Decodes every object as Go does before the kind's own defaults are applied. */
function withDecoding(
  strategy: Strategy,
  schemas: LazySchemas,
  { group, plural, kind, version, fieldSelectors }: BuiltinResource,
  emptyObject: JSONObject | undefined,
): Strategy {
  const readers = fieldSelectorReaders({ group, plural }, fieldSelectors);
  return {
    ...strategy,
    ...dropGatedFields(() => schemas.get(version)?.root, strategy),
    ...(readers && { fieldSelectors: readers }),
    default(object: ApiObject, context) {
      const schema = schemas.get(context.version) ?? schemas.get(version);
      if (schema) replaceFields(object, decode(object, schema.root, kind, context.version));
      fillStructs(object, emptyObject);
      strategy.default?.(object, context);
    },
  };
}

/** A Go struct that is not a pointer is always present, even if the client omitted it. */
function fillStructs(object: ApiObject, empty: JSONObject | undefined): void {
  for (const [field, value] of Object.entries(empty ?? {})) {
    if (typeof value === "object" && value !== null) object[field] ??= {};
  }
}

function decode(object: ApiObject, schema: BuiltinSchema, kind: string, version: string): ApiObject {
  try {
    return decodeBuiltIn(object, schema).object as ApiObject;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${error.message}`,
    );
  }
}

function mergedObjects(a: JSONObject, b: JSONObject): JSONObject {
  const merged = Object.entries(b).map(([name, value]): [string, JSONValue] => {
    const before = a[name];
    return [name, isObject(before) && isObject(value) ? mergedObjects(before, value) : value];
  });
  return { ...a, ...Object.fromEntries(merged) };
}
