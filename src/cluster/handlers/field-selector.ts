import type { Resource } from "../registry/resource.ts";
import { badRequest } from "../status/index.ts";
import type { ApiObject } from "../storage/api-object.ts";

type Predicate = (object: ApiObject) => boolean;

/** Reads `metadata.name=x,status.phase!=Running`; which fields there are differs from kind to kind. */
export function parseFieldSelector(text: string, resource: Resource): Predicate | undefined {
  if (text === "") return undefined;
  const terms = splitTerms(text).map((term) => parseTerm(term, resource));
  return (object) => terms.every((matches) => matches(object));
}

function parseTerm(term: string, resource: Resource): Predicate {
  const found = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (!found) {
    throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  }
  const [, field = "", operator, rawValue = ""] = found;
  const value = rawValue.replace(/\\([\\,=])/g, "$1");
  const read = readerOf(field, resource);
  return operator === "!=" ? (object) => read(object) !== value : (object) => read(object) === value;
}

function readerOf(field: string, resource: Resource): (object: ApiObject) => string {
  if (field === "metadata.name") return ({ metadata }) => metadata.name ?? "";
  if (field === "metadata.namespace" && resource.namespaced)
    return ({ metadata }) => metadata.namespace ?? "";
  const own = resource.strategy.fieldSelectors?.get(field);
  if (own) return own;
  if (resource.custom || resource.strategy.fieldSelectors) {
    throw badRequest(`field label not supported: ${field}`);
  }
  throw badRequest(
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** Commas in values are escaped with a backslash. */
function splitTerms(text: string): string[] {
  return text.split(/(?<!\\),/).filter((term) => term !== "");
}
