import { TsbuilderError } from "../shared/errors.ts";

/** The message of an API server for a request that RBAC forbids. */
const forbidden =
  /User \\?"[^"]*\\?" cannot (?<verb>[a-z]+) resource \\?"(?<resource>[a-z0-9./-]+)\\?" in API group \\?"(?<group>[a-z0-9.-]*)\\?"/;

/** Finds a forbidden request in a line of the operator's log, and names the missing marker. */
export function explainRefusal(line: string): TsbuilderError | undefined {
  const { verb, resource, group } = forbidden.exec(line)?.groups ?? {};
  if (!verb || !resource) return undefined;
  const groups = group === "" ? '""' : group;
  return new TsbuilderError(`the operator is not allowed to ${verb} ${resource}`, {
    code: "REFUSED",
    hint: `add a marker to its controller: // +kubebuilder:rbac:groups=${groups},resources=${resource},verbs=${verb}`,
  });
}
