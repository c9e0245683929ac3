import type { MarkerDefinition, MarkerFamily } from "../definition.ts";
import type { Schema } from "../../schema/schema.ts";
import { refKey } from "../../schema/schema.ts";

/** Whether a field must be there. */
export const presence: MarkerFamily = {
  name: "presence",
  title: "Whether a field must be there",
  markers: [
    packageWide(
      presenceMarker("kubebuilder:validation:Optional", "The field may be left out; `?` says the same."),
    ),
    packageWide(
      presenceMarker("kubebuilder:validation:Required", "The field must be there, even with a `?`."),
    ),
    presenceMarker("optional", "The field may be left out; `?` says the same."),
    presenceMarker("required", "The field must be there, even with a `?`."),
    presenceMarker("k8s:optional", "The field may be left out; `?` says the same."),
    {
      ...presenceMarker("k8s:required", "The field must be there and not be empty."),
      apply: applyNotEmpty,
    },
  ],
};

function presenceMarker(name: string, summary: string): MarkerDefinition {
  return { name, targets: ["field"], summary, arguments: {} };
}

function packageWide(marker: MarkerDefinition): MarkerDefinition {
  return { ...marker, targets: ["field", "package"] };
}

/** Declarative validation in Kubernetes takes an empty value for a missing one, so required means at least one. */
function applyNotEmpty(schema: Schema): undefined {
  if (schema.type === "string") schema.minLength ??= 1;
  else if (schema.type === "array") schema.minItems ??= 1;
  else if (schema.type === "object" || schema[refKey]) schema.minProperties ??= 1;
}
