import type { Scenario, TraceEvent } from "../contract/index.ts";

export type Change = TraceEvent & { readonly type: "change" };

export const isChange = (event: TraceEvent): event is Change => event.type === "change";

export const isDeletion = ({ change, fields }: Change): boolean =>
  change === "DELETED" || fields.includes("metadata.deletionTimestamp");

/** `configmaps default/shop`. */
export const textOf = ({ resource, key }: Change): string => `${resource} ${key}`;

/** The operator of each process. */
export function operatorsByProcess({ operators }: Scenario): ReadonlyMap<string, string> {
  return new Map(
    operators.flatMap(({ name, replicas = 1 }) =>
      Array.from({ length: replicas }, (_, index) => [`${name}-${index}`, name] as const),
    ),
  );
}
