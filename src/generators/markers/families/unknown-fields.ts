import { fieldAndType, type MarkerDefinition, type MarkerFamily } from "../definition.ts";

export const unknownFields: MarkerFamily = {
  name: "unknown-fields",
  title: "Fields that the schema does not describe",
  markers: [
    flag("kubebuilder:pruning:PreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", {
      summary: "Preserves unknown fields instead of pruning them.",
    }),
    flag("kubebuilder:validation:XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", {
      summary: "Preserves unknown fields instead of pruning them.",
      forItems: true,
    }),
    flag("kubebuilder:validation:EmbeddedResource", "x-kubernetes-embedded-resource", {
      summary: "The value is a complete Kubernetes object, with apiVersion, kind and metadata.",
      targets: ["field"],
    }),
    flag("kubebuilder:validation:XEmbeddedResource", "x-kubernetes-embedded-resource", {
      summary: "The value is a complete Kubernetes object, with apiVersion, kind and metadata.",
      forItems: true,
    }),
    flag("kubebuilder:validation:XIntOrString", "x-kubernetes-int-or-string", {
      summary: "The value is an integer or a string.",
      forItems: true,
      priority: 9,
    }),
    {
      name: "kubebuilder:validation:Schemaless",
      targets: ["field"],
      summary: "Ignores the field's type: its schema only has what other markers add.",
      arguments: {},
    },
  ],
};

type FlagKey =
  | "x-kubernetes-preserve-unknown-fields"
  | "x-kubernetes-embedded-resource"
  | "x-kubernetes-int-or-string";

function flag(
  name: string,
  key: FlagKey,
  options: Partial<MarkerDefinition> & { summary: string },
): MarkerDefinition {
  return {
    name,
    targets: fieldAndType,
    arguments: {},
    apply(schema) {
      schema[key] = true;
      return undefined;
    },
    ...options,
  };
}
