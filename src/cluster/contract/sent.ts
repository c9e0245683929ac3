import type { ApiObject } from "./api-object.ts";

/**
 * A type of the Kubernetes API as a client may have sent it: every field may be missing, and an enum field may hold any
 * text. Defaults and validation see objects like this. Label selectors keep their type, because their validation
 * accepts any value.
 */
export type Sent<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? Sent<Item>[]
    : T extends object
      ? "matchLabels" extends keyof T
        ? T
        : string extends keyof T
          ? { [Key in keyof T]: Sent<T[Key]> }
          : { [Field in keyof T]?: Sent<T[Field]> }
      : T;

/** An object of a built-in kind with a spec, and perhaps a status, as a client may have sent it. */
export type SentObject<Spec, Status = unknown> = ApiObject & { spec: Spec; status?: Status };
