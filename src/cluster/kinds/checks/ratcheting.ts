import type { FieldError } from "@tsbuilder/apimachinery/errors";

/**
 * Ratcheting: drops the errors of an update whose rule the stored object breaks, too, because an older release accepted it.
 * Errors without the name of a rule are kept, whether or not they are new.
 */
export function ratchet(
  problems: Iterable<FieldError>,
  problemsBefore: () => Iterable<FieldError>,
): FieldError[] {
  const all = [...problems];
  if (all.every(({ rule }) => rule === undefined)) return all;
  const broken = new Set([...problemsBefore()].map(({ rule }) => rule));
  return all.filter(({ rule }) => rule === undefined || !broken.has(rule));
}
