import { TsbuilderError } from "../shared/errors.ts";

/** What an API server says when RBAC does not allow a request. */
const FORBIDDEN =
  /User \\?"[^"]*\\?" cannot (?<verb>[a-z]+) resource \\?"(?<resource>[a-z0-9./-]+)\\?" in API group \\?"(?<group>[a-z0-9.-]*)\\?"/;

/** Finds a refused request in a line of the operator's log, and names the marker that is missing. */
export function explainRefusal(line: string): TsbuilderError | undefined {
  const { verb, resource, group } = FORBIDDEN.exec(line)?.groups ?? {};
  if (!verb || !resource) return undefined;
  const groups = group === "" ? '""' : group;
  return new TsbuilderError(`the operator may not ${verb} ${resource}`, {
    code: "REFUSED",
    hint: `add a marker to its controller: // +kubebuilder:rbac:groups=${groups},resources=${resource},verbs=${verb}`,
  });
}
