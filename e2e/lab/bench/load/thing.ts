/** The custom resource that benchmarks write. */
export const things = "/apis/bench.example.com/v1/namespaces/default/things";

export const thing = (name: string): object => ({
  apiVersion: "bench.example.com/v1",
  kind: "Thing",
  metadata: { name, labels: { app: "bench", shard: name.slice(-1) } },
  spec: { size: 3, text: "x".repeat(400), list: [{ name: "a", value: "b" }] },
});

export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.bench.example.com" },
  spec: {
    group: "bench.example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", minimum: 1 },
                  text: { type: "string" },
                  list: {
                    type: "array",
                    items: {
                      type: "object",
                      properties: { name: { type: "string" }, value: { type: "string" } },
                    },
                  },
                },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};
