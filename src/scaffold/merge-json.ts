import { isObject, type JSONValue } from "@tsbuilder/apimachinery/json";
/** The result of merging a JSON file, and the keys that both sides changed. */
export interface MergedJson {
  readonly text: string;
  /** `devDependencies.vitest`; the user's value is kept. */
  readonly disputed: readonly string[];
}

/**
 * Applies the changes between two versions of our JSON to the user's, key by key: a line-based merge would conflict on
 * the comma after a dependency that the user added. Undefined if one of the three is not JSON.
 */
export function mergeJson(base: string, ours: string, theirs: string): MergedJson | undefined {
  const disputed: string[] = [];
  try {
    const [from, to, users] = [base, ours, theirs].map((text) => JSON.parse(text) as JSONValue);
    const merged = mergeValues(from, to, users, [], disputed);
    return { text: `${JSON.stringify(merged, undefined, 2)}\n`, disputed };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function mergeValues(
  base: JSONValue | undefined,
  ours: JSONValue | undefined,
  theirs: JSONValue | undefined,
  path: readonly string[],
  disputed: string[],
): JSONValue | undefined {
  if (isSame(base, theirs)) return ours;
  if (isSame(base, ours) || isSame(ours, theirs)) return theirs;
  if (!isObject(ours) || !isObject(theirs)) {
    disputed.push(path.join("."));
    return theirs;
  }
  const from = isObject(base) ? base : {};
  const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
  const entries = [...keys].map(
    (key) => [key, mergeValues(from[key], ours[key], theirs[key], [...path, key], disputed)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as JSONValue;
}

/** The order of members counts: it is the user's, and stays. */
const isSame = (a: JSONValue | undefined, b: JSONValue | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
