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
  const byPriority = markers
    .filter(({ definition }) => definition.apply)
    .sort((a, b) => (a.definition.priority ?? defaultPriority) - (b.definition.priority ?? defaultPriority));
  const isForItems = ({ name }: Marker): boolean => name.startsWith("kubebuilder:validation:items:");
  for (const marker of byPriority.filter((marker) => !isForItems(marker))) apply(schema, marker);
  for (const marker of byPriority.filter(isForItems)) {
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
    const changed = Object.keys(onto).filter(
      (key) => onto[key as keyof Schema] !== before[key as keyof Schema],
    );
    // Also records a marker that sets a value which was already there.
    if (marker.name.endsWith(":Type") && !changed.includes("type")) changed.push("type");
    for (const rule of onto["x-kubernetes-validations"] ?? []) {
      if (!before["x-kubernetes-validations"]?.includes(rule)) rulePlaces.set(rule, marker.place);
    }
    const origin = onto[originKey] ?? { place, markers: new Map<string, Place>() };
    const entries = changed.map((key): [string, Place] => [key, marker.place]);
    onto[originKey] = { place: origin.place, markers: new Map([...origin.markers, ...entries]) };
  }
}
