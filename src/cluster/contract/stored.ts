/** What every stored object has of these, as validation refuses objects without them. */
type Always = "spec" | "template" | "selector" | "jobTemplate";

/** A type of the Kubernetes API as it is stored: a time that was never set is a null in some. */
export type Stored<T> = T extends readonly (infer Item)[]
  ? Stored<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { [Field in keyof T as Field extends Always ? Field : never]-?: Stored<NonNullable<T[Field]>> } & {
          [Field in keyof T as Field extends Always ? never : Field]:
            | Stored<T[Field]>
            | (Field extends "lastProbeTime" ? null : never);
        }
    : T;
