/** A valid CRD in which every place that takes a string has one. */
export const fullCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "boxes.example.com", labels: { team: "a" }, annotations: { note: "b" } },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: {
      kind: "Box",
      plural: "boxes",
      singular: "carton",
      listKind: "BoxList",
      shortNames: ["bx"],
      categories: ["all"],
    },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        deprecated: true,
        deprecationWarning: "Use v2.",
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.size",
            statusReplicasPath: ".status.size",
            labelSelectorPath: ".status.selector",
          },
        },
        additionalPrinterColumns: [
          {
            name: "Size",
            type: "integer",
            format: "int32",
            description: "How large.",
            jsonPath: ".spec.size",
          },
        ],
        selectableFields: [{ jsonPath: ".spec.mode" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A box.",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                description: "What is wanted.",
                required: ["size"],
                properties: {
                  size: { type: "integer", format: "int32", description: "How large it is." },
                  mode: { type: "string", title: "Mode", enum: ["open", "shut"], default: "shut" },
                  "a-b": { type: "string", pattern: "^a+$", format: "password", example: "aa" },
                  ports: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string", description: "Its name.", maxLength: 9 } },
                    },
                  },
                  labels: {
                    type: "object",
                    maxProperties: 3,
                    additionalProperties: { type: "string", description: "One label.", maxLength: 9 },
                  },
                },
                "x-kubernetes-validations": [
                  {
                    rule: "self.size > 0",
                    message: "must be large",
                    reason: "FieldValueInvalid",
                    fieldPath: ".size",
                  },
                ],
              },
              status: {
                type: "object",
                externalDocs: { url: "https://example.com", description: "More." },
                properties: { size: { type: "integer" }, selector: { type: "string" } },
              },
            },
          },
        },
      },
    ],
  },
};
