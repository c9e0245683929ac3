/**
 * A type of the Kubernetes API as a client may have sent it: every field may be missing, and a text may be none of
 * the API's choices. Defaults and validation see objects like this. Label selectors stay as they are: their own check
 * takes what it gets.
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
