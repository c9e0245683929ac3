import { compareText } from "../text/index.ts";

/** How stable a version is, by its name. */
export type Stability = "stable" | "beta" | "alpha";

/** The parts of a version such as `v1` or `v2beta3`. */
export interface VersionParts {
  readonly major: number;
  readonly stability: Stability;
  /** The number after `alpha` or `beta`; 0 for a stable version. */
  readonly minor: number;
}

/** Parses a version such as `v1` or `v2beta3`; returns `undefined` for any other name. */
export function parseVersion(version: string): VersionParts | undefined {
  const hasLeadingZero = /[a-z]0/u.test(version);
  return hasLeadingZero ? undefined : readParts(version);
}

const rank: Readonly<Record<Stability, number>> = { stable: 0, beta: 1, alpha: 2 };

/**
 * Compares versions by priority as the API server does, highest first: stable before beta before alpha, then by number.
 * Other names come last, in alphabetical order.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [readParts(a), readParts(b)];
  if (!left || !right) {
    if (left || right) return left ? -1 : 1;
    return compareText(a, b);
  }
  return rank[left.stability] - rank[right.stability] || right.major - left.major || right.minor - left.minor;
}

/** Unlike `parseVersion()`, allows leading zeros: the API server compares `v0` and `v01` by priority, too. */
function readParts(version: string): VersionParts | undefined {
  const match = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/u.exec(version);
  if (!match) return undefined;
  const [, major, stability = "stable", minor = 0] = match;
  return { major: Number(major), stability: stability as Stability, minor: Number(minor) };
}
