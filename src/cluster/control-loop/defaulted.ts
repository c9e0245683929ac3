/** An object whose spec has fields that the server's defaults fill in where a client omits them. */
export type Defaulted<T extends { spec: object }, Fields extends keyof T["spec"]> = Omit<T, "spec"> & {
  spec: T["spec"] & { [Field in Fields]-?: NonNullable<T["spec"][Field]> };
};
