import { ageOf } from "@tsbuilder/apimachinery/text";
import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { type JSONObject, type JSONValue, isObject } from "@tsbuilder/apimachinery/json";
import type { BuiltinResource, BuiltinSchema } from "@tsbuilder/apimachinery/kinds";
import {
  DecodeError,
  builtinResources,
  convertUnstructured,
  decodeBuiltIn,
  deprecationOf,
  loadSchemas,
} from "@tsbuilder/apimachinery/kinds";
import { badRequest, qualifiedName } from "../contract/status-error.ts";
import { isFeatureOn, servedRelease } from "../contract/version.ts";
import { type ApiObject, replaceFields } from "../contract/api-object.ts";
import type { Store } from "../storage/store.ts";
import {
  type CellReader,
  type ObjectSchema,
  type Resource,
  type ResourceVersion,
  type Strategy,
  type SubresourceInfo,
  type TableColumns,
  fieldText,
} from "../registry/resource.ts";
import { Entry } from "../storage/entry.ts";
import { defaultStrategy, resetBuiltInStatus, resetStatusAlone } from "../registry/default-strategy.ts";
import type { BuiltInKind } from "../kinds/built-in-kind.ts";
import { provideTables } from "../kinds/checks/known-values.ts";
import { builtInKinds } from "../kinds/index.ts";
import type { Registry } from "../registry/registry.ts";

/**
 * Registers every built-in kind but ComponentStatus, all versions of a kind as one resource. `builtInResource` joins its
 * three sources: the generated tables of apimachinery (names, verbs, schemas, columns), the default strategy of the
 * registry, and the declaration of the kind in `kinds`.
 */
export function addBuiltIns(registry: Registry): void {
  const versionsByName = new Map<string, BuiltinResource[]>();
  for (const resource of builtinResources(servedRelease())) {
    const name = qualifiedName(resource);
    if (name === "componentstatuses") continue;
    versionsByName.set(name, [...(versionsByName.get(name) ?? []), resource]);
  }
  for (const versions of versionsByName.values()) registry.add(builtInResource(registry.store, versions));
}

/** The parts of a resource that don't depend on a cluster's store. */
interface SharedParts extends Omit<Resource, "collection" | "strategy"> {
  readonly schemas: LazySchemas;
}

/** The shared parts by preferred version, for all clusters of this process: a simulation starts many. */
const sharedParts = new WeakMap<BuiltinResource, SharedParts>();

/** Makes the resource of a built-in kind from the generated tables of its versions, the preferred one first. */
function builtInResource(store: Store, versions: readonly BuiltinResource[]): Resource {
  const preferred = versions.find(({ isPreferred }) => isPreferred) ?? versions[0]!;
  const parts = sharedParts.get(preferred) ?? makeSharedParts(preferred, versions);
  sharedParts.set(preferred, parts);
  const { schemas, ...otherParts } = parts;
  const { plural, storage } = preferred;
  return {
    ...otherParts,
    collection: store.collection(qualifiedName({ group: storage.group, plural })),
    strategy: withDecoding(strategyOf(preferred, store), schemas, preferred),
  };
}

/** Later sources win: the default strategy, the rules from the generated tables, and the kind's own strategy. */
function strategyOf(resource: BuiltinResource, store: Store): Strategy {
  const { rules, subresources } = resource;
  const { strategy, metadataChecks } = findKind(resource) ?? {};
  const kindStrategy = typeof strategy === "function" ? strategy(store) : strategy;
  const hasStatus = subresources.some(({ name }) => name === "status");
  return {
    ...defaultStrategy,
    metadataChecks: { ...defaultStrategy.metadataChecks, ...metadataChecks },
    // In kinds without a status subresource, every write may change all fields.
    resetFields: hasStatus ? resetBuiltInStatus : () => undefined,
    ...(kindStrategy?.statusWritesMetadata && { resetFields: resetStatusAlone }),
    createOnUpdate: rules.allowsCreateOnUpdate,
    unconditionalUpdate: rules.allowsUnconditionalUpdate,
    generation: rules.hasGeneration,
    defaultPropagation: rules.defaultPropagation,
    returnsDeleted: false,
    ...kindStrategy,
  };
}

function makeSharedParts(preferred: BuiltinResource, versions: readonly BuiltinResource[]): SharedParts {
  const { group, plural, kind, singular, storage } = preferred;
  const schemas = new LazySchemas(versions);
  const ordered = [preferred, ...versions.filter((version) => version !== preferred)];
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
    load: () => schemas.load(),
    ...conversionsOf(preferred),
  };
}

/** Merges objects, and objects within them; other values of `overlay` win. */
function mergeObjects(base: JSONObject, overlay: JSONObject): JSONObject {
  const merged = Object.entries(overlay).map(([name, value]): [string, JSONValue] => {
    const baseValue = base[name];
    return [name, isObject(baseValue) && isObject(value) ? mergeObjects(baseValue, value) : value];
  });
  return { ...base, ...Object.fromEntries(merged) };
}

type Conversions = "present" | "presentAll" | "convert";

/** Most kinds have one version; Events and autoscalers are stored in one version and served in two. */
function conversionsOf(resource: { group: string; plural: string }): Pick<SharedParts, Conversions> {
  const convertKind = findKind(resource)?.convert;
  const inVersion = (version: string) => apiVersionOf({ group: resource.group, version });
  const convert = (object: ApiObject, version: string): ApiObject => {
    const apiVersion = inVersion(version);
    return !convertKind || object.apiVersion === apiVersion ? object : convertKind(object, apiVersion);
  };
  const present = (entry: Entry, version: string): Entry => {
    if (!convertKind) return entry;
    // The cache is by apiVersion: events of both groups share their entries.
    const apiVersion = inVersion(version);
    if (entry.object.apiVersion === apiVersion) return entry;
    const cached = entry.derived(apiVersion) as Entry | undefined;
    if (cached) return cached;
    const converted = new Entry(entry.key, entry.revision, convertKind(entry.object, apiVersion));
    entry.remember(apiVersion, converted);
    return converted;
  };
  const presentAll = (entries: readonly Entry[], version: string) =>
    entries.map((entry) => present(entry, version));
  return { present, presentAll, convert };
}

const kindsByResource = new Map(builtInKinds.map((kind) => [kind.resource, kind]));

/** Returns the declaration of a built-in kind; undefined if the tables and the default strategy are enough for it. */
export function findKind(resource: { group: string; plural: string }): BuiltInKind | undefined {
  return kindsByResource.get(qualifiedName(resource));
}

/** The schema of a version, with the generated one that decodes objects. */
interface DecodingSchema extends ObjectSchema {
  readonly root: BuiltinSchema;
}

/** The schemas of a kind's versions, which are loaded with the first write: reads need none. */
class LazySchemas {
  readonly #versions: readonly BuiltinResource[];
  readonly #schemas = new Map<string, DecodingSchema>();
  #loading: Promise<void> | undefined;

  constructor(versions: readonly BuiltinResource[]) {
    this.#versions = versions;
  }

  get(version: string): DecodingSchema | undefined {
    return this.#schemas.get(version);
  }

  /** Loads the schemas; returns undefined if they are loaded. */
  load(): Promise<void> | undefined {
    if (this.#schemas.size > 0) return undefined;
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<void> {
    for (const { version, type } of this.#versions) {
      const dot = type.lastIndexOf(".");
      const table = await loadSchemas(type.slice(0, dot), { release: servedRelease() });
      if (table) provideTables(table);
      const root = table?.get(type.slice(dot + 1));
      if (root) this.#schemas.set(version, schemaOf(root));
    }
  }
}

function schemaOf(root: BuiltinSchema): DecodingSchema {
  return {
    root,
    node: root,
    unknownFields: (object) => decodeBuiltIn(object as Record<string, unknown>, root).unknown,
    convertMerged: (object) => convertUnstructured(object, root),
  };
}

/** The paths of the subresource `scale`, which are the same in all built-in kinds. */
const scale = { spec: "spec.replicas", status: "status.replicas", selector: "spec.selector" };

function versionOf(resource: BuiltinResource, schemas: LazySchemas): ResourceVersion {
  const columns = tableColumns(resource);
  const { zeroValues = {} } = findKind(resource) ?? {};
  const deprecation = deprecationOf(resource.apiVersion, resource.kind, servedRelease());
  const { zero } = resource;
  return {
    name: resource.version,
    get schema() {
      return schemas.get(resource.version);
    },
    ...(Object.keys(zero).length > 0 && { zero }),
    bookmarkObject: mergeObjects(zero, zeroValues),
    ...(columns && { columns }),
    ...(deprecation && { deprecation }),
    ...(resource.subresources.some(({ name }) => name === "scale") && { scale }),
  };
}

const commonCells: Readonly<Record<string, CellReader>> = {
  Name: ({ metadata }) => metadata.name ?? "",
  Age: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
  // An object that is not stored, as that of a bookmark, has Go's first time.
  "Created At": ({ metadata }) => metadata.creationTimestamp ?? "0001-01-01T00:00:00Z",
};

/** The Table form of a built-in kind: its columns come from the tables, its cells from readers by name. */
function tableColumns(resource: BuiltinResource): TableColumns | undefined {
  const { kind, columns } = resource;
  if (columns.length === 0) return undefined;
  const { cells, cellsWithoutColumn = [], rowConditions } = findKind(resource) ?? {};
  const columnReaders = columns.map(({ name }) => cells?.[name] ?? commonCells[name] ?? blank);
  const readers = [...columnReaders, ...cellsWithoutColumn];
  return {
    definitions: columns.map((column) => ({ ...column, description: `${column.name} of the ${kind}.` })),
    cells: (object, now) => readers.map((read) => read(object, now)),
    ...(rowConditions && { rowConditions }),
  };
}

const blank: CellReader = () => "";

/** The served subresources. Those that need a running container, such as logs, only respond that there is none. */
const servedSubresources = new Set([
  "attach",
  "exec",
  "log",
  "portforward",
  "proxy",
  "status",
  "finalize",
  "approval",
  "scale",
  "binding",
  "eviction",
  "token",
  "ephemeralcontainers",
  "resize",
]);

/** The subresources of a built-in kind, in the order of discovery. */
function builtInSubresources(resource: BuiltinResource): Map<string, SubresourceInfo> {
  const subresources = new Map<string, SubresourceInfo>();
  for (const { name, group, version, kind, verbs } of resource.subresources) {
    if (!servedSubresources.has(name)) continue;
    const body = kind !== resource.kind && {
      body: { group: group === "" && resource.group === "" ? "" : group, version, kind },
    };
    subresources.set(name, { verbs, ...body });
  }
  return subresources;
}

/** Decodes every object as Go does before the kind's own defaults are applied. */
function withDecoding(
  strategy: Strategy,
  schemas: LazySchemas,
  { group, plural, kind, version, fieldSelectors }: BuiltinResource,
): Strategy {
  const readers = fieldSelectorReaders({ group, plural }, fieldSelectors);
  return {
    ...strategy,
    ...dropGatedFields(() => schemas.get(version)?.root, strategy),
    ...(readers && { fieldSelectors: readers }),
    default(object: ApiObject, context) {
      const schema = schemas.get(context.version) ?? schemas.get(version);
      if (schema) replaceFields(object, decode(object, schema.root, kind, context.version));
      strategy.default?.(object, context);
    },
  };
}

function decode(object: ApiObject, schema: BuiltinSchema, kind: string, version: string): ApiObject {
  try {
    return decodeBuiltIn(object, schema).object as ApiObject;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const kindInVersion = `${kind} in version ${JSON.stringify(version)}`;
    throw badRequest(`${kindInVersion} cannot be handled as a ${kind}: ${error.message}`);
  }
}

/** Returns the readers of the field selectors of a built-in kind; most read the path that is their name. */
function fieldSelectorReaders(
  resource: { group: string; plural: string },
  fields: readonly string[],
): Strategy["fieldSelectors"] {
  if (fields.length === 0) return undefined;
  const selectors = findKind(resource)?.selectors;
  return new Map(
    fields.map((field) => [field, selectors?.[field] ?? ((object) => fieldText(object, field))]),
  );
}

/** Drops fields of features that are off, unless the stored object uses the feature. Managed fields still list them. */
function dropGatedFields(
  schema: () => BuiltinSchema | undefined,
  { prepareForCreate, prepareForUpdate }: Pick<Strategy, "prepareForCreate" | "prepareForUpdate">,
): Pick<Strategy, "prepareForCreate" | "prepareForUpdate"> {
  const drop = (object: object, old?: object): void => {
    const root = schema();
    for (const paths of root ? gatedPaths(root).values() : []) {
      if (old && paths.some((path) => has(old, path))) continue;
      for (const path of paths) removeAt(object, path);
    }
  };
  return {
    prepareForCreate(object, write) {
      drop(object);
      prepareForCreate?.(object, write);
    },
    prepareForUpdate(object, old, write) {
      drop(object, old);
      prepareForUpdate?.(object, old, write);
    },
  };
}

/** The feature gates of fields which Kubernetes' sources don't tag, or tag with a gate that doesn't exist. */
const untaggedFields = new Map([
  ["core/v1.Lifecycle.stopSignal", "ContainerStopSignals"],
  ["core/v1.VolumeMountStatus.volumeStatus", "ImageVolumeWithDigest"],
  ["core/v1.VolumeProjection.podCertificate", "PodCertificateRequest"],
]);

/** Fields with such a tag that the server keeps; with `namespace`, it drops all of a claim's dataSourceRef. */
const keptFields = new Set(["core/v1.ContainerStatus.stopSignal", "core/v1.TypedObjectReference.namespace"]);

/** A step of a path: the rest of the path is within each item of a list, or each value of a map. */
const eachItem = Symbol("each");

type Path = readonly (string | typeof eachItem)[];

/** The paths to each gated field from a value of a type, by field: a feature is in use if one of the paths has a value. */
type GatedPaths = ReadonlyMap<string, readonly Path[]>;

/** Caches the paths of types. A type that is still being walked has none, so that a recursive type ends the walk. */
const pathsByType = new Map<string, GatedPaths>();

function gatedPaths(schema: BuiltinSchema): GatedPaths {
  const inner = schema.items ?? schema.additionalProperties;
  if (inner) return prependStep(eachItem, gatedPaths(inner));
  const { typeName, properties } = schema;
  if (!properties || typeName === undefined) return new Map();
  const cached = pathsByType.get(typeName);
  if (cached) return cached;
  pathsByType.set(typeName, new Map());
  const pathsByField = new Map<string, readonly Path[]>();
  for (const [field, node] of Object.entries(properties)) {
    const name = `${typeName}.${field}`;
    const gate = untaggedFields.get(name);
    const isGated =
      gate === undefined ? node.featureGates !== undefined && !keptFields.has(name) : !isFeatureOn(gate);
    const inner = isGated ? new Map([[name, [[field]]]]) : prependStep(field, gatedPaths(node));
    for (const [gatedField, paths] of inner) {
      pathsByField.set(gatedField, [...(pathsByField.get(gatedField) ?? []), ...paths]);
    }
  }
  pathsByType.set(typeName, pathsByField);
  return pathsByField;
}

function prependStep(step: string | typeof eachItem, paths: GatedPaths): GatedPaths {
  return new Map([...paths].map(([name, all]) => [name, all.map((path) => [step, ...path])]));
}

function has(value: unknown, [first, ...rest]: Path): boolean {
  if (first === undefined) return value !== undefined;
  if (typeof value !== "object" || value === null) return false;
  if (first === eachItem) return Object.values(value).some((item) => has(item, rest));
  return has((value as Record<string, unknown>)[first], rest);
}

/** Structs that are dropped if no field is left in them. */
const droppedIfEmpty = new Set(["lifecycle"]);

function removeAt(value: unknown, [first, ...rest]: Path): void {
  if (typeof value !== "object" || value === null || first === undefined) return;
  if (first === eachItem) {
    for (const item of Object.values(value)) removeAt(item, rest);
    return;
  }
  const fields = value as Record<string, unknown>;
  if (rest.length === 0) delete fields[first];
  else if (has(fields[first], rest)) {
    removeAt(fields[first], rest);
    if (droppedIfEmpty.has(first) && Object.keys(fields[first] as object).length === 0) delete fields[first];
  }
}
