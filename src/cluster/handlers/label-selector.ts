import { badRequest } from "../status/index.ts";
import type { ApiObject } from "../storage/api-object.ts";

type Predicate = (object: ApiObject) => boolean;
type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

/** Reads `app=web,tier in (a,b),!legacy`; all terms must hold. */
export function parseLabelSelector(text: string): Predicate | undefined {
  const terms = splitTerms(text);
  if (terms.length === 0) return undefined;
  const tests = terms.map(parseTerm);
  return ({ metadata }) => tests.every((test) => test(metadata.labels ?? {}));
}

function parseTerm(term: string): LabelTest {
  const set = /^([^\s!=,()]+)\s+(in|notin)\s+\(([^()]*)\)$/.exec(term);
  if (set) {
    const [, key, operator, list] = set as unknown as [string, string, string, string];
    const values = new Set(list.split(",").map((value) => value.trim()));
    return operator === "in"
      ? (labels) => key in labels && values.has(labels[key]!)
      : (labels) => !(key in labels) || !values.has(labels[key]!);
  }
  const equal = /^([^\s!=,()<>]+)\s*(!=|==|=)\s*([^\s!=,()<>]*)$/.exec(term);
  if (equal) {
    const [, key, operator, value] = equal as unknown as [string, string, string, string];
    return operator === "!=" ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const exists = /^(!?)\s*([^\s!=,()<>]+)$/.exec(term);
  if (exists) {
    const [, not, key] = exists as unknown as [string, string, string];
    return not ? (labels) => !(key in labels) : (labels) => key in labels;
  }
  throw badRequest(`unable to parse requirement: ${term}`);
}

function splitTerms(text: string): string[] {
  const terms = text.match(/(?:[^,(]|\([^)]*\)?)+/g) ?? [];
  return terms.map((term) => term.trim()).filter((term) => term !== "");
}
