import { forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import type { ResourceAttributes } from "@tsbuilder/apimachinery/k8s/authorization/v1";
import { checkLabelValue, checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { parseFieldSelector, parseLabelSelector } from "@tsbuilder/apimachinery/selector";
import { type Problems, refused } from "../../kinds/checks/problems.ts";

interface Requirement {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly values?: readonly string[] | undefined;
}

interface Selector {
  readonly rawSelector?: string | undefined;
  readonly requirements?: readonly Requirement[] | undefined;
}

/** Validates the selectors by which a request that is asked about would be limited. */
export function* selectorAttributes(field: string, asked: ResourceAttributes): Problems {
  const { fieldSelector, labelSelector } = asked;
  if (fieldSelector) yield* selectorProblems(`${field}.fieldSelector`, fieldSelector, fieldRequirement);
  if (labelSelector) yield* selectorProblems(`${field}.labelSelector`, labelSelector, labelRequirement);
}

/** Which of the selectors can't be read, or only in part: what can't be read limits nothing. */
export function unreadSelectors({ fieldSelector, labelSelector }: ResourceAttributes): string {
  const ignored = {
    fieldSelector: howIgnored(fieldSelector, parseFieldSelector, isFieldRequirement),
    labelSelector: howIgnored(labelSelector, parseLabelSelector, isLabelRequirement),
  };
  return Object.entries(ignored)
    .filter(([, how]) => how !== undefined)
    .map(([name, how]) => `spec.resourceAttributes.${name} ${how} due to parse error`)
    .join("; ");
}

function howIgnored(
  { rawSelector = "", requirements = [] }: Selector = {},
  parse: (text: string) => unknown,
  isReadable: (requirement: Requirement) => boolean,
): "ignored" | "partially ignored" | undefined {
  if (!parses(parse, rawSelector)) return "ignored";
  if (requirements.every(isReadable)) return undefined;
  return requirements.some(isReadable) ? "partially ignored" : "ignored";
}

const isFieldRequirement = ({ operator = "", values = [] }: Requirement): boolean =>
  ["In", "NotIn"].includes(operator) && values.length === 1;

const isLabelRequirement = ({ operator = "" }: Requirement): boolean =>
  ["In", "NotIn", "Exists", "DoesNotExist"].includes(operator);

function parses(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function* selectorProblems(
  field: string,
  { rawSelector = "", requirements = [] }: Selector,
  check: (field: string, requirement: Requirement) => Problems,
): Problems {
  if (rawSelector !== "" && requirements.length > 0) {
    yield invalid(`${field}.rawSelector`, rawSelector, "may not specified at the same time as requirements");
  }
  if (rawSelector === "" && requirements.length === 0) {
    const detail = `when ${field} is specified, requirements or rawSelector is required`;
    yield required(`${field}.requirements`, detail);
  }
  for (const [index, each] of requirements.entries()) yield* check(`${field}.requirements[${index}]`, each);
}

function* fieldRequirement(field: string, requirement: Requirement): Problems {
  if (!requirement.key) yield required(`${field}.key`, "must be specified");
  yield* valueProblems(field, requirement);
}

function* labelRequirement(field: string, requirement: Requirement): Problems {
  const { key = "", values = [] } = requirement;
  yield* valueProblems(field, requirement);
  yield* refused(`${field}.key`, key, checkQualifiedName(key));
  for (const [index, value] of values.entries()) {
    yield* refused(`${field}.values[${index}]`, value, checkLabelValue(value));
  }
}

/** Newer clients may know more operators. */
function* valueProblems(field: string, { operator = "", values = [] }: Requirement): Problems {
  if (["In", "NotIn"].includes(operator) && values.length === 0) {
    yield required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  }
  if (["Exists", "DoesNotExist"].includes(operator) && values.length > 0) {
    yield forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  }
}
