/** The steps from the root of a value to one in it. */
export type Path = readonly (string | number)[];

/** A place in a value: what stands there, or its key. */
export interface Place {
  readonly path: Path;
  readonly isKey: boolean;
}

/** Every place of a string, as a value or as a key. */
export function places(value: unknown, path: Path = []): Place[] {
  if (typeof value === "string") return [{ path, isKey: false }];
  if (typeof value !== "object" || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, isList ? Number(key) : key];
    return [...(isList ? [] : [{ path: at, isKey: true }]), ...places(inner, at)];
  });
}

/** A copy with another value, or another key, at one place. */
export function replace(value: unknown, { path, isKey }: Place, text: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return text;
  if (Array.isArray(value)) {
    return value.map((item, i) =>
      i === step ? replace(item, { path: rest, isKey }, text) : (item as unknown),
    );
  }
  const entries = Object.entries(value as object).map(([key, inner]): [string, unknown] => {
    if (key !== step) return [key, inner];
    if (isKey && rest.length === 0) return [String(text), inner];
    return [key, replace(inner, { path: rest, isKey }, text)];
  });
  return Object.fromEntries(entries);
}
