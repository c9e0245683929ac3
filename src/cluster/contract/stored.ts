/** Fields that every stored object has if its type has them: validation refuses objects without them. */
type RequiredField = "spec" | "template" | "selector" | "jobTemplate";

/** A type of the Kubernetes API as it is stored: required fields are present, and a `lastProbeTime` may be null. */
export type Stored<T> = T extends readonly (infer Item)[]
  ? Stored<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : {
          [Field in keyof T as Field extends RequiredField ? Field : never]-?: Stored<NonNullable<T[Field]>>;
        } & {
          [Field in keyof T as Field extends RequiredField ? never : Field]:
            | Stored<T[Field]>
            | (Field extends "lastProbeTime" ? null : never);
        }
    : T;
