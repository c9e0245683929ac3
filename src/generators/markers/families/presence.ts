import type { MarkerDefinition, MarkerFamily } from "../definition.ts";
import { type Schema, refKey } from "../../model/schema.ts";

export const presence: MarkerFamily = {
  name: "presence",
  title: "Whether a field is required",
  markers: [
    packageWide(presenceMarker("kubebuilder:validation:Optional", "The field is optional, as with `?`.")),
    packageWide(presenceMarker("kubebuilder:validation:Required", "The field is required, even with `?`.")),
    presenceMarker("optional", "The field is optional, as with `?`."),
    presenceMarker("required", "The field is required, even with `?`."),
    presenceMarker("k8s:optional", "The field is optional, as with `?`."),
    {
      ...presenceMarker("k8s:required", "The field is required and must not be empty."),
      apply: applyNotEmpty,
    },
  ],
};

function presenceMarker(name: string, summary: string): MarkerDefinition {
  return { name, targets: ["field"], summary, arguments: {} };
}

/** Returns a marker that also sets the default of all fields of a version. */
function packageWide(marker: MarkerDefinition): MarkerDefinition {
  return { ...marker, targets: ["field", "package"] };
}

/** Kubernetes' declarative validation treats an empty value as missing, so required implies a minimum length of one. */
function applyNotEmpty(schema: Schema): undefined {
  if (schema.type === "string") schema.minLength ??= 1;
  else if (schema.type === "array") schema.minItems ??= 1;
  else if (schema.type === "object" || schema[refKey]) schema.minProperties ??= 1;
}
