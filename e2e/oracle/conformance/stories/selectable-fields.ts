import { type Step, type Story, story, post } from "../story.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
const properties = {
  metadata: { type: "object", properties: { name: { type: "string" } } },
  spec: {
    type: "object",
    properties: {
      color: { type: "string", enum: ["red", "blue"] },
      size: { type: "integer" },
      on: { type: "boolean" },
      ratio: { type: "number" },
      tags: { type: "array", items: { type: "string" } },
      labels: { type: "object", additionalProperties: { type: "string" } },
      deep: {
        type: "object",
        properties: Object.fromEntries(letters.map((name) => [name, { type: "string" }])),
      },
    },
  },
};

/** A CRD whose fields can be selected by these paths. */
function selectable(...paths: string[]): Step {
  return post(crds, {
    metadata: { name: "things.{group}" },
    spec: {
      group: "{group}",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties } },
          selectableFields: paths.map((jsonPath) => ({ jsonPath })),
        },
      ],
    },
  });
}

export const selectableFields: readonly Story[] = [
  story("selectable fields of CRDs", [
    selectable(""),
    selectable("spec.color"),
    selectable(".spec.missing"),
    selectable(".spec.ratio"),
    selectable(".spec"),
    selectable(".spec.tags"),
    selectable(".spec.tags[0]"),
    selectable(".spec['color']"),
    selectable(".metadata.name"),
    selectable(".spec.color", ".spec.size", ".spec.color"),
    selectable(...letters.map((name) => `.spec.deep.${name}`)),
  ]),
];
