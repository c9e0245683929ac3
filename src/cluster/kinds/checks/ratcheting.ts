import { type FieldError, formatFieldError } from "@tsbuilder/apimachinery/errors";

/**
 * Drops the errors of an update that are of a kind which the stored object has, too: Kubernetes accepted them in an older
 * release. A kind is a pattern of the error's text; errors of other kinds are kept, whether or not they are new.
 */
export function ratchet(
  problems: Iterable<FieldError>,
  problemsBefore: () => Iterable<FieldError>,
  kinds: readonly RegExp[],
): FieldError[] {
  const all = [...problems];
  const isOf = (error: FieldError, kind: RegExp): boolean => kind.test(formatFieldError(error));
  const present = kinds.filter((kind) => all.some((error) => isOf(error, kind)));
  if (present.length === 0) return all;
  const before = [...problemsBefore()];
  const stored = present.filter((kind) => before.some((error) => isOf(error, kind)));
  return all.filter((error) => !stored.some((kind) => isOf(error, kind)));
}
