/**
 * T as it is read from the cache, where it is frozen: no field can be set, at any depth. It is assignable to T, so
 * functions that only read may declare T itself; this is also why lists have the type of a list that can be changed,
 * although they throw. `const copy: T = structuredClone(object)` is a copy that can be changed.
 */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]: DeepReadonly<T[Field]> }
    : T;

/** The read-only type of an object. */
export function asReadonly<T>(object: T): DeepReadonly<T> {
  return object as unknown as DeepReadonly<T>;
}

/** Edits a draft in place. A function that returns a new object doesn't compile, because that would have no effect. */
// `void` alone would accept any return value.
export type Edit<T> = (draft: T) => void | undefined;
