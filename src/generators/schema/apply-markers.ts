import type { DiagnosticLog, Place } from "../diagnostic.ts";
import { asWritten, type Marker } from "../markers/collect.ts";
import type { MarkerTarget } from "../markers/definition.ts";
import { originKey, rulePlaces, type Schema } from "./schema.ts";

const defaultPriority = 10;

/** Applies markers to the schema of their target: by priority, then in source order, those for elements last. */
export function applyMarkers(
  schema: Schema,
  markers: readonly Marker[],
  target: MarkerTarget,
  place: Place,
  log: DiagnosticLog,
  constants: () => readonly string[] = () => [],
): void {
  const byPriority = markers.filter(({ definition }) => definition.apply);
  if (byPriority.length > 1) byPriority.sort((a, b) => priorityOf(a) - priorityOf(b));
  for (const marker of byPriority) if (!isForItems(marker)) apply(schema, marker);
  for (const marker of byPriority) {
    if (!isForItems(marker)) continue;
    if (schema.type === "array" && schema.items) apply(schema.items, marker);
    else
      log.error(
        marker.place,
        `+${marker.name} applies to the elements of a list, but this is ${schema.type ?? "none"}`,
      );
  }

  function apply(onto: Schema, marker: Marker): void {
    const before = { ...onto };
    const context = { marker: marker.name, target, constants };
    const problem = marker.definition.apply!(onto, marker.args, context);
    if (problem) log.error(marker.place, `${asWritten(marker)}: ${problem}`);
    const origin = onto[originKey];
    const places = new Map(origin?.markers);
    for (const key of Object.keys(onto)) {
      if (onto[key as keyof Schema] !== before[key as keyof Schema]) places.set(key, marker.place);
    }
    // Also records a marker that sets a value which was already there.
    if (marker.name.endsWith(":Type")) places.set("type", marker.place);
    for (const rule of onto["x-kubernetes-validations"] ?? []) {
      if (!before["x-kubernetes-validations"]?.includes(rule)) rulePlaces.set(rule, marker.place);
    }
    onto[originKey] = { place: origin?.place ?? place, markers: places };
  }
}

function priorityOf({ definition }: Marker): number {
  return definition.priority ?? defaultPriority;
}

function isForItems({ name }: Marker): boolean {
  return name.startsWith("kubebuilder:validation:items:");
}
