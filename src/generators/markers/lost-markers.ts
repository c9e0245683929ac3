import type { DiagnosticLog } from "../diagnostic.ts";
import { asWritten, type Marker } from "./collect.ts";

/** Warns of markers on one field or type of which another one takes the effect. */
export function warnOfLostMarkers(markers: readonly Marker[], log: DiagnosticLog): void {
  if (markers.length < 2) return;
  for (const [i, marker] of markers.entries()) {
    const later = markers.slice(i + 1).find(({ name }) => name === marker.name);
    if (!later || marker.definition.repeatable || argsOf(later) === argsOf(marker)) continue;
    const [lost, kept] = [asWritten(marker), asWritten(later)];
    const message =
      lost === kept
        ? `${lost} is given twice, and the last one counts`
        : `${lost} has no effect beside ${kept}, which sets the same`;
    log.warn(marker.place, message, "keep one of them");
  }
  const given = presence.flatMap(({ name, isRequired }) => {
    const found = markers.find((marker) => marker.name === name);
    return found ? [{ marker: found, isRequired }] : [];
  });
  const [first] = given;
  const other = given.find(({ isRequired }) => isRequired !== first?.isRequired);
  if (!first || !other) return;
  const result = first.isRequired ? "required" : "optional";
  log.warn(
    other.marker.place,
    `+${other.marker.name} has no effect beside +${first.marker.name}: the field is ${result}`,
    "keep one of them",
  );
}

/** Whether a field is required, by precedence. */
const presence = [
  { name: "kubebuilder:validation:Optional", isRequired: false },
  { name: "kubebuilder:validation:Required", isRequired: true },
  { name: "optional", isRequired: false },
  { name: "k8s:optional", isRequired: false },
  { name: "required", isRequired: true },
  { name: "k8s:required", isRequired: true },
] as const;

function argsOf({ args }: Marker): string {
  return JSON.stringify(args, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}
