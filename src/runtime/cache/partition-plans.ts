import type { Kind } from "@tsbuilder/apimachinery/meta";
import type { Client } from "../client/client.ts";
import { acceptOf } from "../client/metadata-only.ts";
import { resourcePath } from "../client/resource-path.ts";
import type { Clock } from "../clock/clock.ts";
import { Reflector } from "../watch/reflector.ts";
import { appliedBy, noteApplied } from "./applied-fields.ts";
import type { InformerScope, KindCacheOptions } from "./cache.ts";
import { freezeShared } from "./freeze-shared.ts";
import { matchFields, matchLabels } from "./match-selection.ts";
import type { PartitionPlan } from "./shared-informer.ts";

/** What planning needs beside the options of the kind. */
export interface PlanContext {
  readonly client: Pick<Client, "request">;
  readonly keepManagedFields: boolean;
  readonly fieldManager: string | undefined;
  readonly watchList: boolean;
  readonly clock: Clock;
}

/** Plans the watches of a kind: one for all namespaces, or one for each that is named. */
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
  { client, keepManagedFields, fieldManager, watchList, clock }: PlanContext,
): PartitionPlan {
  const { labels, fields, transform } = scope;
  const hasLabels = matchLabels(labels);
  const hasFields = matchFields(fields);
  return {
    namespace,
    covers: (object) => hasLabels(object.metadata.labels) && hasFields(object),
    prepare(object) {
      // Lists of built-in kinds leave these two out of their items.
      object.apiVersion ??= kind.apiVersion;
      object.kind ??= kind.kind;
      const applied = fieldManager === undefined ? undefined : appliedBy(fieldManager, object);
      if (!keepManagedFields) delete object.metadata.managedFields;
      const prepared = freezeShared(transform ? transform(object) : object);
      if (applied !== undefined) noteApplied(prepared, applied);
      return prepared;
    },
    run: (partition, signal) =>
      new Reflector(
        (request) => client.request(request),
        {
          path: resourcePath(kind, { namespace }),
          labelSelector: labels,
          fieldSelector: fields,
          listHeaders: acceptOf(kind, "PartialObjectMetadataList"),
          watchHeaders: acceptOf(kind, "PartialObjectMetadata"),
          watchList,
          clock,
        },
        partition,
      ).run(signal),
  };
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

function definedOf(scope: InformerScope): InformerScope {
  return Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== undefined));
}
