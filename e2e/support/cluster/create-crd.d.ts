/** A version of a CRD: `properties` are those of its schema; all other fields are copied. */
interface Version {
  readonly name?: string;
  readonly properties?: object;
  readonly [field: string]: unknown;
}
/** Creates a CRD of the group example.com. All of its versions are served, and the first one is stored. */
export declare function createCRD(
  {
    plural,
    kind,
    scope,
  }: {
    plural: string;
    kind: string;
    scope?: "Cluster" | "Namespaced";
  },
  ...versions: readonly Version[]
): {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
  };
  spec: {
    group: string;
    scope: "Cluster" | "Namespaced";
    names: {
      plural: string;
      kind: string;
    };
    versions: {
      name: string;
      served: boolean;
      storage: boolean;
      schema: {
        openAPIV3Schema: {
          type: string;
          properties: object;
        };
      };
    }[];
  };
};
export {};
//# sourceMappingURL=create-crd.d.ts.map
