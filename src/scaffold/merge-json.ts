import { isObject, type JSONValue } from "@tsbuilder/apimachinery/json";
/** A JSON file that two sides changed: what became of it, and where both changed the same value. */
export interface MergedJson {
  readonly text: string;
  /** `devDependencies.vitest`, where the user's value stays. */
  readonly disputed: readonly string[];
}

/**
 * Applies to the user's JSON what changed between two versions of ours, key by key: a line merge would stumble over
 * the comma behind a dependency of theirs. Undefined where one of the three is no JSON.
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
