import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { synchronous } from "../callbacks/call-safely.ts";
import { CallbackError } from "../callbacks/callback-error.ts";
import { show } from "../callbacks/thrown-error.ts";
import type { Client } from "../client/client.ts";
import { acceptOf } from "../client/metadata-only.ts";
import { keyText } from "../client/object-key.ts";
import type { TimeSlices } from "../clock/time-slices.ts";
import { resourcePath } from "../client/resource-path.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { Reflector } from "../watch/reflector.ts";
import { noteOwnership, ownershipOf } from "./applied-fields.ts";
import type { InformerScope, KindCacheOptions } from "./cache.ts";
import { freezeShared } from "./freeze-shared.ts";
import { matchFields, matchLabels } from "./match-selection.ts";
import { isHeld, type Shard, ShardedWatch, type StartWatch } from "./sharded-watch.ts";
import type { PartitionPlan } from "./shared-informer.ts";

/** What planning needs besides the options of the kind. */
export interface PlanContext {
  readonly client: Pick<Client, "request">;
  readonly keepManagedFields: boolean;
  readonly fieldManager: string | undefined;
  readonly watchList: boolean;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly onError: (error: CallbackError) => void;
  /** The part of the kind to keep; undefined for all of it. */
  readonly shard: () => Shard | undefined;
}

/** Plans the watches of a kind: one for all namespaces, or one per named namespace. */
export function planPartitions(kind: Kind, options: KindCacheOptions, context: PlanContext): PartitionPlan[] {
  const namespaces = kind.scope === "Namespaced" ? scopesOf(options) : undefined;
  if (!namespaces) return [planPartition(kind, undefined, options, context)];
  const named = Object.keys(namespaces).filter((namespace) => namespace !== "");
  return Object.entries(namespaces).map(([namespace, scope]) => {
    const merged = { ...pick(options), ...definedOf(scope) };
    if (namespace !== "") return planPartition(kind, namespace, merged, context);
    const others = named.map((name) => `metadata.namespace!=${name}`);
    const fields = [...(merged.fields ? [merged.fields] : []), ...others].join(",");
    return planPartition(kind, undefined, { ...merged, fields }, context);
  });
}

function planPartition(
  kind: Kind,
  namespace: string | undefined,
  scope: InformerScope,
  {
    client,
    keepManagedFields,
    fieldManager,
    watchList,
    clock,
    slices,
    onError,
    shard: findShard,
  }: PlanContext,
): PartitionPlan {
  const { labels, fields, transform } = scope;
  const hasLabels = matchLabels(labels);
  const hasFields = matchFields(fields);
  const watchSelected =
    (newest: boolean): StartWatch =>
    (shardSelector, sink, signal) =>
      new Reflector(
        (request) => client.request(request),
        {
          path: resourcePath(kind, { namespace }),
          labelSelector: labels,
          fieldSelector: fields,
          shardSelector: shardSelector || undefined,
          listHeaders: acceptOf(kind, "PartialObjectMetadataList"),
          watchHeaders: acceptOf(kind, "PartialObjectMetadata"),
          watchList,
          newest,
          clock,
          slices,
        },
        sink,
      ).run(signal);
  return {
    namespace,
    covers(object) {
      const shard = findShard();
      return hasLabels(object.metadata.labels) && hasFields(object) && (!shard || isHeld(shard, object));
    },
    prepare(object) {
      // Lists of built-in kinds omit these two in their items.
      object.apiVersion ??= kind.apiVersion;
      object.kind ??= kind.kind;
      const ownership = ownershipOf(object, fieldManager, { withValues: transform !== undefined });
      if (!keepManagedFields) delete object.metadata.managedFields;
      const prepared = transform ? transformed(object, transform, onError) : freezeShared(object);
      noteOwnership(prepared, ownership);
      return prepared;
    },
    run(partition, signal) {
      const shard = findShard();
      if (!shard) return watchSelected(false)("", partition, signal);
      return new ShardedWatch(shard, partition, watchSelected(true)).run(signal);
    },
  };
}

/** The transformed object, frozen. If the transform fails or returns another object, the original is used. */
function transformed(
  object: KubernetesObject,
  transform: NonNullable<InformerScope["transform"]>,
  onError: (error: CallbackError) => void,
): KubernetesObject {
  const { metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  const key = keyText(metadata);
  const identity = { name, namespace, uid, resourceVersion };
  try {
    const result: unknown = synchronous(transform(object));
    if (!hasIdentity(result, identity))
      throw new TypeError(
        `it returned ${show(result)}: the object must keep its name, namespace, uid and resourceVersion`,
      );
    return freezeShared(result);
  } catch (error) {
    onError(new CallbackError("transform", "the transform", error, key));
    // The transform may have changed the object before it failed.
    return freezeShared({ ...object, metadata: { ...metadata, ...definedOf(identity) } });
  }
}

function hasIdentity(value: unknown, identity: object): value is KubernetesObject {
  const { metadata } = (value ?? {}) as { metadata?: { [field: string]: unknown } };
  return Object.entries(identity).every(([field, expected]) => metadata?.[field] === expected);
}

function scopesOf({
  namespaces,
}: KindCacheOptions): { readonly [namespace: string]: InformerScope } | undefined {
  if (!Array.isArray(namespaces))
    return namespaces as { readonly [namespace: string]: InformerScope } | undefined;
  return Object.fromEntries((namespaces as readonly string[]).map((namespace) => [namespace, {}]));
}

function pick({ labels, fields, transform }: InformerScope): InformerScope {
  return { labels, fields, transform };
}

function definedOf<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
