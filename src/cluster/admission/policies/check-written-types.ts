import { CelList, CelMap, type Value, WrittenObject } from "@tsbuilder/apimachinery/cel";

/**
 * Finds objects whose type name differs from their field path: in `Object{spec: Object.other{}}` it should be
 * `Object.spec`. List items have the path of the list.
 */
export function* wrongTypeNames(value: Value, path: string): Generator<string> {
  if (value instanceof WrittenObject) {
    const { name } = value.celType;
    if (name !== path) {
      const detail = "which matches field name path from root Object type";
      yield `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(path)}, ${detail}`;
    }
    for (const [field, child] of value.values) yield* wrongTypeNames(child, `${path}.${field}`);
  } else if (value instanceof CelList) {
    for (const item of value) yield* wrongTypeNames(item, path);
  } else if (value instanceof CelMap) {
    for (const key of value.keys()) yield* wrongTypeNames(value.find(key)!, path);
  }
}
