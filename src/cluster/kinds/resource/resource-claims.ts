import type {
  DeviceClaim,
  DeviceClassSpec,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceToleration,
  ExactDeviceRequest,
  OpaqueDeviceConfiguration,
  ResourceClaimSpec,
  ResourceClaimTemplateSpec,
} from "@tsbuilder/apimachinery/k8s/resource/v1";
import {
  duplicate,
  forbidden,
  invalid,
  invalidStruct,
  required,
  tooLong,
  tooMany,
} from "@tsbuilder/apimachinery/errors";
import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "@tsbuilder/apimachinery/naming";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Sent } from "../../contract/sent.ts";
import type { Strategy } from "../../registry/resource.ts";
import type { Store } from "../../storage/store.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField } from "../cells.ts";
import {
  type Problems,
  type Shape,
  choice,
  goStruct,
  needed,
  number,
  optionalChoice,
  pointer,
  pointerTo,
  refused,
  text,
} from "../checks/problems.ts";
import { templateMetadata } from "../checks/meta-types.ts";
import { type Fields, eachOf, fillIn } from "../fill-in.ts";
import { declaredSubdomainName } from "../../registry/validate-metadata.ts";
import { isExtended } from "../core/resource-names.ts";
import { compileSelector } from "../../expressions/expression.ts";
import { celProblem } from "../admissionregistration/match-resources.ts";
import { driverName } from "../storage/storage-class.ts";

const resourceClaimStrategy = (store: Store): Partial<Strategy> => ({
  returnsDeleted: true,
  default(object) {
    object["spec"] ??= {};
    defaultClaim(object["spec"]);
    object["status"] ??= {};
  },
  validate: (object) => [
    ...adminAccess(devicesOf(object), object.metadata.namespace!, store),
    ...claimProblems("spec.devices", devicesOf(object)),
  ],
  validateUpdate: (object, old, { subresource }) =>
    subresource === "" ? [...keptClaim(object["spec"], old["spec"])] : [],
});

function devicesOf(object: ApiObject): Sent<DeviceClaim> {
  return (object as { spec?: Sent<ResourceClaimSpec> }).spec?.devices ?? {};
}

function claimState(object: object): string {
  const allocated = readField(object, "status.allocation") !== undefined;
  const deleted = readField(object, "metadata.deletionTimestamp") !== undefined;
  const reserved = allocated && (readField<unknown[]>(object, "status.reservedFor") ?? []).length > 0;
  return [
    ...(deleted ? ["deleted"] : []),
    ...(allocated ? ["allocated"] : deleted ? [] : ["pending"]),
    ...(reserved ? ["reserved"] : []),
  ].join(",");
}

type ClaimTemplate = ApiObject & { spec?: Sent<ResourceClaimTemplateSpec> };

const resourceClaimTemplateStrategy = (store: Store): Partial<Strategy> => ({
  returnsDeleted: true,
  default(object) {
    const spec = object["spec"] as Fields | undefined;
    fillIn(spec, () => ({ metadata: {}, spec: {} }));
    defaultClaim(spec?.["spec"]);
  },
  validate: (object: ClaimTemplate) => [
    ...adminAccess(object.spec?.spec?.devices ?? {}, object.metadata.namespace!, store),
    ...problems(object),
  ],
  validateUpdate: (object, old) => [...problems(object), ...keptTemplate(object["spec"], old["spec"])],
});

/** The spec of a claim can't change; the message shows it as the struct that it is in Go. */
function* keptClaim(spec: unknown, old: unknown): Problems {
  if (!isEqual(spec, old)) yield invalidStruct("spec", goStruct(spec, claimSpec), "field is immutable");
}

/** The spec of a template can't change either; Go writes the fields of its metadata into the same struct. */
function* keptTemplate(spec: unknown, old: unknown): Problems {
  if (isEqual(spec, old)) return;
  const { metadata, ...rest } = spec as { metadata?: object };
  const shown = { ...metadata, ...goStruct(rest, { spec: { zero: null, of: claimSpec } }) };
  yield invalidStruct("spec", shown, "field is immutable");
}

const selector: Shape = { cel: pointerTo({ expression: text }) };

const toleration: Shape = {
  key: text,
  operator: text,
  value: text,
  effect: text,
  tolerationSeconds: pointer,
};

const capacity: Shape = { requests: pointer };

const subRequest: Shape = {
  name: text,
  deviceClassName: text,
  selectors: pointerTo(selector),
  allocationMode: text,
  count: number,
  tolerations: pointerTo(toleration),
  capacity: pointerTo(capacity),
};

const exactRequest: Shape = {
  deviceClassName: text,
  selectors: pointerTo(selector),
  allocationMode: text,
  count: number,
  adminAccess: pointer,
  tolerations: pointerTo(toleration),
  capacity: pointerTo(capacity),
};

const claimSpec: Shape = {
  devices: pointerTo({
    requests: pointerTo({
      name: text,
      exactly: pointerTo(exactRequest),
      firstAvailable: pointerTo(subRequest),
    }),
    constraints: pointerTo({ requests: pointer, matchAttribute: pointer, distinctAttribute: pointer }),
    config: pointerTo({
      requests: pointer,
      // The parameters of a driver are anything, which Go keeps as it came.
      opaque: pointerTo({ driver: text, parameters: pointer }),
    }),
  }),
};

/** A request is for exactly one device by default. */
function defaultClaim(spec: unknown): void {
  fillIn(spec, () => ({ devices: {} }));
  fillIn((spec as Fields | undefined)?.["devices"], () => ({ requests: null }));
  for (const request of eachOf((spec as Fields | undefined)?.["devices"], "requests")) {
    const choices = [request["exactly"] as Fields | undefined, ...eachOf(request, "firstAvailable")];
    for (const choice of choices) {
      fillIn(choice, () => ({ allocationMode: "ExactCount" }));
      if (choice?.["allocationMode"] === "ExactCount") choice["count"] ??= 1;
      for (const toleration of eachOf(choice, "tolerations")) toleration["operator"] ??= "Equal";
    }
  }
}

const label = "resource.kubernetes.io/admin-access";

/** Only namespaces with a label may request devices that others use (adminAccess); the error names the first request. */
function* adminAccess({ requests = [] }: Sent<DeviceClaim>, namespace: string, store: Store): Problems {
  const index = requests?.findIndex(({ exactly }) => exactly?.adminAccess === true) ?? -1;
  if (index < 0) return;
  const labels = store.collection("namespaces").get(namespace)?.object.metadata.labels;
  if (labels?.[label] === "true") return;
  const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
  yield forbidden(`spec.devices.requests[${index}].adminAccess`, detail);
}

function* problems(object: ClaimTemplate): Problems {
  yield* templateMetadata("spec.metadata", object.spec?.metadata);
  yield* claimProblems("spec.spec.devices", object.spec?.spec?.devices ?? {});
}

type DeviceClass = ApiObject & { spec?: Sent<DeviceClassSpec> };

const mostConfigs = 32;

function* classProblems({ spec = {} }: DeviceClass): Problems {
  const { selectors = [], config = [], extendedResourceName: name } = spec;
  yield* selectorProblems("spec.selectors", selectors);
  yield* listProblems("spec.config", config, mostConfigs, configProblems);
  if (name !== undefined && !isExtended(name)) {
    yield invalid("spec.extendedResourceName", name, "must be a valid extended resource name");
  }
}

const mostItems = 32;

const mostChoices = 8;

const longestExpression = 10 * 1024;

const longestParameters = 10 * 1024;

/** Validates the requests, constraints and configurations of a claim. */
function* claimProblems(field: string, claim: Sent<DeviceClaim>): Problems {
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

function* listProblems<T>(field: string, list: readonly T[], most: number, check: Check<T>): Problems {
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
  } else yield* optionalChoice(`${field}.allocationMode`, allocationMode, "resource/v1.ExactDeviceRequest");
  for (const [index, each] of tolerations.entries()) {
    yield* tolerationProblems(`${field}.tolerations[${index}]`, each);
  }
}

function selectorProblems(field: string, selectors: readonly Sent<DeviceSelector>[]): Problems {
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
  else yield* choice(`${field}.operator`, operator, "resource/v1.DeviceToleration");
  if (effect) yield* optionalChoice(`${field}.effect`, effect, "resource/v1.DeviceToleration");
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
function* configProblems(
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

export const resourceClaim: BuiltInKind = {
  resource: "resourceclaims.resource.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: resourceClaimStrategy,
  cells: { State: claimState },
  emptyObject: { spec: { devices: { requests: null } }, status: {} },
};

export const resourceClaimTemplate: BuiltInKind = {
  resource: "resourceclaimtemplates.resource.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: resourceClaimTemplateStrategy,
  emptyObject: { spec: { metadata: {}, spec: { devices: { requests: null } } } },
};

export const deviceClass: BuiltInKind = {
  resource: "deviceclasses.resource.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: {
    returnsDeleted: true,
    validateName: declaredSubdomainName,
    validate: (object) => [...classProblems(object)],
    validateUpdate: (object) => [...classProblems(object)],
  },
  emptyObject: { spec: {} },
};
