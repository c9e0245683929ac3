import { matchesRequirements, parseLabelSelector as parse } from "@tsbuilder/apimachinery/selector";
import { badRequest } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";

/** Parses `app=web,tier in (a,b),!legacy` into a predicate; undefined for an empty selector. */
export function parseLabelSelector(text: string): ((object: ApiObject) => boolean) | undefined {
  try {
    const requirements = parse(text);
    if (requirements.length === 0) return undefined;
    return ({ metadata }) => matchesRequirements(requirements, metadata.labels ?? {});
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}
