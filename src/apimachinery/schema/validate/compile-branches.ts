import { quote } from "../../text/index.ts";
import type { FieldError } from "../../errors/index.ts";
import type { JSONSchema } from "../json-schema.ts";
import type { Check } from "./check.ts";
import { type Run, uncorrelated } from "./run.ts";

/** The result of one branch: its errors, and how many checks passed. */
interface Finding {
  readonly errors: FieldError[];
  readonly matches: number;
}

/** Compiles `anyOf`, `oneOf`, `allOf` and `not`, in the order in which the API server checks them. */
export function compileBranches(
  schema: JSONSchema,
  compileChild: (schema: JSONSchema) => Check,
): Check | undefined {
  const anyOf = (schema.anyOf ?? []).map(compileChild);
  const oneOf = (schema.oneOf ?? []).map(compileChild);
  const allOf = (schema.allOf ?? []).map(compileChild);
  const not = schema.not && compileChild(schema.not);
  if (anyOf.length === 0 && oneOf.length === 0 && allOf.length === 0 && !not) return undefined;
  return (value, run) => {
    // No ratcheting inside branches: only the node around them is compared with the old object.
    const { old } = run;
    run.old = uncorrelated;
    if (anyOf.length > 0) checkAnyOf(anyOf, value, run);
    if (oneOf.length > 0) checkOneOf(oneOf, value, run);
    if (allOf.length > 0) checkAllOf(allOf, value, run);
    if (not && probe(not, value, run).errors.length === 0) {
      run.composite(`${quote(run.path())} must not validate the schema (not)`);
    }
    run.old = old;
  };
}

function checkAnyOf(branches: readonly Check[], value: unknown, run: Run): void {
  let best: Finding | undefined;
  for (const branch of branches) {
    const finding = probe(branch, value, run);
    if (finding.errors.length === 0) {
      merge(finding, run);
      return;
    }
    if (!best || finding.matches > best.matches) best = finding;
  }
  run.composite(`${quote(run.path())} must validate at least one schema (anyOf)`);
  merge(best, run);
}

function checkOneOf(branches: readonly Check[], value: unknown, run: Run): void {
  let best: Finding | undefined;
  let firstValid: Finding | undefined;
  let valid = 0;
  for (const branch of branches) {
    const finding = probe(branch, value, run);
    if (finding.errors.length === 0) {
      valid++;
      firstValid ??= finding;
    } else if (valid === 0 && (!best || finding.matches > best.matches)) {
      best = finding;
    }
  }
  if (valid === 1) {
    merge(firstValid, run);
    return;
  }
  const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
  run.composite(`${quote(run.path())} must validate one and only one schema (oneOf). ${found}`);
  if (valid === 0) merge(best, run);
}

function checkAllOf(branches: readonly Check[], value: unknown, run: Run): void {
  let valid = 0;
  for (const branch of branches) {
    const finding = probe(branch, value, run);
    if (finding.errors.length === 0) valid++;
    merge(finding, run);
  }
  if (valid === branches.length) return;
  const none = valid === 0 ? ". None validated" : "";
  run.composite(`${quote(run.path())} must validate all the schemas (allOf)${none}`);
}

function probe(branch: Check, value: unknown, run: Run): Finding {
  const { errors, matches } = run;
  run.errors = [];
  run.matches = 0;
  branch(value, run);
  const finding = { errors: run.errors, matches: run.matches };
  run.errors = errors;
  run.matches = matches;
  return finding;
}

function merge(finding: Finding | undefined, run: Run): void {
  if (!finding) return;
  run.errors.push(...finding.errors);
  run.matches += finding.matches;
}
