import type { TypedLocalObjectReference } from "@tsbuilder/apimachinery/k8s/core/v1";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { Sent } from "../../contract/sent.ts";
import { pathSegmentName } from "../../registry/validate-name.ts";
import { needed, type Problems, refused } from "../checks/problems.ts";

/** Validates a reference to an object by group, kind and name. */
export function* typedReference(
  field: string,
  { apiGroup, kind, name }: Sent<TypedLocalObjectReference>,
): Problems {
  if (typeof apiGroup === "string") yield* refused(`${field}.apiGroup`, apiGroup, checkSubdomain(apiGroup));
  yield* needed(`${field}.kind`, kind, checkSegment);
  yield* needed(`${field}.name`, name, checkSegment);
}

/** Text that can be a segment of a URL path. */
export const checkSegment = (text: string): string[] => pathSegmentName(text, false);
