import { isObject } from "../../../src/apimachinery/json/index.ts";

/** A place at which two CRDs differ; a value is undefined where there is none. */
export interface Difference {
  readonly path: string;
  readonly theirs: unknown;
  readonly ours: unknown;
  /** Our description of the schema that the place is in. */
  readonly within: string | undefined;
}

/** All places at which two values differ, each as deep as possible. */
export function differencesOf(theirs: unknown, ours: unknown, path = "", within?: string): Difference[] {
  if (isObject(theirs) && isObject(ours)) {
    const inside = typeof ours["description"] === "string" ? ours["description"] : within;
    const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
    return [...keys].flatMap((key) => differencesOf(theirs[key], ours[key], `${path}.${key}`, inside));
  }
  if (Array.isArray(theirs) && Array.isArray(ours) && theirs.length === ours.length) {
    return theirs.flatMap((item, i) => differencesOf(item, ours[i], `${path}[${i}]`, within));
  }
  return JSON.stringify(theirs) === JSON.stringify(ours) ? [] : [{ path, theirs, ours, within }];
}
