import { duplicate, invalid, notSupported, required, tooLong, tooMany } from "@tsbuilder/apimachinery/errors";
import { isObject } from "@tsbuilder/apimachinery/json";
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceToleration,
  ExactDeviceRequest,
  OpaqueDeviceConfiguration,
} from "@tsbuilder/apimachinery/k8s/resource/v1";
import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "@tsbuilder/apimachinery/naming";
import type { Sent } from "../../contract/sent.ts";
import { compileSelector } from "../../expressions/compile-expression.ts";
import { celProblem } from "../checks/cel-problem.ts";
import { choice, needed, optionalChoice, type Problems, refused } from "../checks/problems.ts";
import { driverName } from "../storage/class-rules.ts";

const mostItems = 32;
const mostChoices = 8;
const longestExpression = 10 * 1024;
const longestParameters = 10 * 1024;

/** Validates what a claim wants of devices. */
export function* claimProblems(field: string, claim: Sent<DeviceClaim>): Problems {
  const { requests = [], constraints = [], config = [] } = claim;
  const names = namesOf(requests ?? []);
  yield* setProblems(`${field}.requests`, requests ?? [], mostItems, requestProblems, nameOf);
  yield* listProblems(`${field}.constraints`, constraints, mostItems, (at, constraint) =>
    constraintProblems(at, constraint, names),
  );
  yield* listProblems(`${field}.config`, config, mostItems, function* (at, each) {
    yield* referenceProblems(`${at}.requests`, each.requests ?? [], names);
    yield* configProblems(at, each);
  });
}

/** The requests of a claim, and those of them with alternatives by `request/alternative`, too. */
function namesOf(requests: readonly Sent<DeviceRequest>[]): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name = "", firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((each) => `${name}/${each.name ?? ""}`),
    ]),
  );
}

function nameOf({ name = "" }: { name?: string | undefined }): string {
  return name;
}

type Check<T> = (field: string, item: T) => Problems;

export function* listProblems<T>(field: string, list: readonly T[], most: number, check: Check<T>): Problems {
  if (list.length > most) return yield tooMany(field, list.length, most);
  for (const [index, item] of list.entries()) yield* check(`${field}[${index}]`, item);
}

function* setProblems<T>(
  field: string,
  list: readonly T[],
  most: number,
  check: Check<T>,
  keyOf: (item: T) => string,
): Problems {
  yield* listProblems(field, list, most, check);
  if (list.length > most) return;
  const keys = list.map(keyOf);
  for (const [index, key] of keys.entries()) {
    if (keys.indexOf(key) < index) yield duplicate(`${field}[${index}]`, key);
  }
}

function* requestProblems(field: string, request: Sent<DeviceRequest>): Problems {
  const { name = "", exactly, firstAvailable = [] } = request;
  yield* requestName(`${field}.name`, name);
  const rule = "exactly one of `exactly` or `firstAvailable` is required";
  if (!exactly && firstAvailable.length === 0) yield required(field, rule);
  else if (!exactly) {
    const alternative: Check<Sent<ExactDeviceRequest> & { name?: string | undefined }> = function* (
      at,
      each,
    ) {
      yield* requestName(`${at}.name`, each.name ?? "");
      yield* exactProblems(at, each);
    };
    yield* setProblems(`${field}.firstAvailable`, firstAvailable, mostChoices, alternative, nameOf);
  } else if (firstAvailable.length === 0) yield* exactProblems(`${field}.exactly`, exactly);
  else yield invalid(field, null, `${rule}, but multiple fields are set`);
}

function requestName(field: string, name: string): Problems {
  return refused(field, name, checkLabel(name));
}

function* exactProblems(field: string, request: Sent<ExactDeviceRequest>): Problems {
  const { deviceClassName, selectors = [], allocationMode = "", count = 0, tolerations = [] } = request;
  yield* needed(`${field}.deviceClassName`, deviceClassName, checkSubdomain);
  yield* selectorProblems(`${field}.selectors`, selectors);
  if (allocationMode === "All") {
    const detail = "must not be specified when allocationMode is 'All'";
    if (count !== 0) yield invalid(`${field}.count`, count, detail);
  } else if (allocationMode === "ExactCount") {
    if (count <= 0) yield invalid(`${field}.count`, count, "must be greater than zero");
  } else yield notSupported(`${field}.allocationMode`, allocationMode, ["All", "ExactCount"]);
  for (const [index, each] of tolerations.entries()) {
    yield* tolerationProblems(`${field}.tolerations[${index}]`, each);
  }
}

export function selectorProblems(field: string, selectors: readonly Sent<DeviceSelector>[]): Problems {
  return listProblems(field, selectors, mostItems, function* (at, { cel }) {
    if (cel) yield* expressionProblems(`${at}.cel.expression`, cel.expression ?? "");
    else yield required(`${at}.cel`);
  });
}

/** Expressions with the macro `cel.bind`, which no other kind has, are not compiled. */
function* expressionProblems(field: string, expression: string): Problems {
  if (Buffer.byteLength(expression) > longestExpression) yield tooLong(field, longestExpression);
  else if (!/\bcel\s*\.\s*bind\b/u.test(expression)) {
    yield* celProblem(field, expression, compileSelector(expression));
  }
}

function* tolerationProblems(field: string, toleration: Sent<DeviceToleration>): Problems {
  const { key = "", operator = "", value = "", effect } = toleration;
  if (key !== "") yield* refused(`${field}.key`, key, checkQualifiedName(key));
  if (operator === "Exists") {
    if (value !== "") yield invalid(`${field}.value`, value, "must be empty for operator `Exists`");
  } else if (operator === "Equal") yield* refused(`${field}.value`, value, checkLabelValue(value));
  else yield* choice(`${field}.operator`, operator, ["Equal", "Exists"]);
  if (effect) yield* optionalChoice(`${field}.effect`, effect, ["NoExecute", "NoSchedule", "None"]);
}

function* constraintProblems(
  field: string,
  { requests = [], matchAttribute, distinctAttribute }: Sent<DeviceConstraint>,
  names: ReadonlySet<string>,
): Problems {
  yield* referenceProblems(`${field}.requests`, requests, names);
  if (matchAttribute !== undefined) yield* attributeName(`${field}.matchAttribute`, matchAttribute);
  else if (distinctAttribute !== undefined) {
    yield* attributeName(`${field}.distinctAttribute`, distinctAttribute);
  } else {
    const rule = `exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set`;
    yield required(field, rule);
  }
}

const longestDomain = 63;
const longestAttribute = 32;

/** The name of an attribute, with the domain that defines it. */
function* attributeName(field: string, name: string): Problems {
  const [domain = "", id] = name.includes("/") ? name.split(/\/(.*)/s) : ["", name];
  if (name.includes("/")) {
    if (domain === "") yield required(field, "the domain must not be empty");
    else {
      if (domain.length > longestDomain) yield tooLong(field, longestDomain);
      yield* refused(field, domain, checkSubdomain(domain));
    }
  }
  if (!id) yield required(field, "the name must not be empty");
  else if (id.length > longestAttribute) yield tooLong(field, longestAttribute);
  if (!name.includes("/")) {
    yield invalid(field, name, "a fully qualified name must be a domain and a name separated by a slash");
  }
}

function* referenceProblems(
  field: string,
  references: readonly string[],
  names: ReadonlySet<string>,
): Problems {
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const check: Check<string> = function* (at, name) {
    const segments = name.split("/");
    if (segments.length > 2) return yield invalid(at, name, detail);
    for (const segment of segments) yield* requestName(at, segment);
    if (!names.has(name)) yield invalid(at, name, detail);
  };
  yield* setProblems(field, references, mostItems, check, (name) => name);
}

/** The configuration for a driver, which only it understands. */
export function* configProblems(
  field: string,
  { opaque }: { opaque?: Sent<OpaqueDeviceConfiguration> | undefined },
): Problems {
  if (!opaque) return yield required(`${field}.opaque`);
  const at = `${field}.opaque`;
  yield* driverName(`${at}.driver`, opaque.driver);
  const parameters: unknown = opaque.parameters ?? null;
  if (parameters === null) yield required(`${at}.parameters`);
  else if (Buffer.byteLength(JSON.stringify(parameters)) > longestParameters) {
    yield tooLong(`${at}.parameters`, longestParameters);
  } else if (!isObject(parameters)) {
    yield invalid(`${at}.parameters`, "<value omitted>", "must be a valid JSON object");
  }
}
