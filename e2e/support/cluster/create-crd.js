/** Creates a CRD of the group example.com. All of its versions are served, and the first one is stored. */
export function createCRD({ plural, kind, scope = "Namespaced" }, ...versions) {
  const group = "example.com";
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind },
      versions: versions.map(({ name = "v1", properties = {}, ...fields }, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: "object", properties } },
        ...fields,
      })),
    },
  };
}
