import type * as v1 from "@tsbuilder/apimachinery/k8s/resource/v1";
import { forbidden, invalid, invalidStruct, required, tooLong } from "@tsbuilder/apimachinery/errors";
import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "@tsbuilder/apimachinery/naming";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import type { Store } from "../../storage/store.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField } from "../cells.ts";
import type { Problems } from "../checks/problems.ts";
import {
  choice,
  declaredImmutable,
  duplicates,
  each,
  eachOfFew,
  nameOf,
  uniqueItems,
  needed,
  optionalChoice,
  refused,
} from "../checks/problems.ts";
import { templateMetadataProblems } from "../checks/meta-types.ts";
import { type Fields, eachOf, fillIn } from "../fill-in.ts";
import { declaredSubdomainName } from "../../registry/validate-metadata.ts";
import { isExtended } from "../core/resources.ts";
import { compileSelector } from "../../expressions/expression.ts";
import { compilationProblems } from "../admissionregistration/match-conditions.ts";
import { driverNameProblems } from "../checks/names.ts";
import { toGoStruct } from "../checks/go-struct.ts";

export const resourceClaim: BuiltInKind = {
  resource: "resourceclaims.resource.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: (store) => ({
    returnsDeleted: true,
    default(object) {
      defaultClaim(object["spec"]);
    },
    validate: (object) => [
      ...adminAccessProblems(devicesOf(object), object.metadata.namespace!, store),
      ...claimProblems("spec.devices", devicesOf(object)),
    ],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "" ? [...claimChanges(object["spec"], old["spec"])] : [],
  }),
  cells: { State: claimState },
};

function devicesOf(object: ApiObject): Sent<v1.DeviceClaim> {
  return (object as { spec?: Sent<v1.ResourceClaimSpec> }).spec?.devices ?? {};
}

function claimState(object: object): string {
  const isAllocated = readField(object, "status.allocation") !== undefined;
  const isDeleted = readField(object, "metadata.deletionTimestamp") !== undefined;
  const isReserved = isAllocated && (readField<unknown[]>(object, "status.reservedFor") ?? []).length > 0;
  return [
    ...(isDeleted ? ["deleted"] : []),
    ...(isAllocated ? ["allocated"] : isDeleted ? [] : ["pending"]),
    ...(isReserved ? ["reserved"] : []),
  ].join(",");
}

/** The spec of a claim can't change; the message shows it as the struct that it is in Go. */
function claimChanges(spec: unknown, old: unknown): Problems {
  return declaredImmutable("spec", spec, old, toGoStruct(spec, "resource/v1.ResourceClaimSpec"));
}

/** A request is for exactly one device by default. */
function defaultClaim(spec: unknown): void {
  fillIn(spec, () => ({ devices: {} }));
  fillIn((spec as Fields | undefined)?.["devices"], () => ({ requests: null }));
  for (const request of eachOf((spec as Fields | undefined)?.["devices"], "requests")) {
    const choices = [request["exactly"] as Fields | undefined, ...eachOf(request, "firstAvailable")];
    for (const choice of choices) {
      if (choice?.["allocationMode"] === "ExactCount") choice["count"] ??= 1;
    }
  }
}

const adminAccessLabel = "resource.kubernetes.io/admin-access";

/** Only namespaces with a label may request devices that others use (adminAccess); the error names the first request. */
function* adminAccessProblems(
  { requests = [] }: Sent<v1.DeviceClaim>,
  namespace: string,
  store: Store,
): Problems {
  const index = requests?.findIndex(({ exactly }) => exactly?.adminAccess === true) ?? -1;
  if (index < 0) return;
  const labels = store.collection("namespaces").get(namespace)?.object.metadata.labels;
  if (labels?.[adminAccessLabel] === "true") return;
  const detail = `admin access to devices requires the \`${adminAccessLabel}: true\` label on the containing namespace`;
  yield forbidden(`spec.devices.requests[${index}].adminAccess`, detail);
}

/** The greatest numbers of items in lists, and the greatest lengths of texts. */
const limits = {
  configsOfClass: 32,
  items: 32,
  alternatives: 8,
  expression: 10 * 1024,
  parameters: 10 * 1024,
  domain: 63,
  attribute: 32,
};

/** Validates the requests, constraints and configurations of a claim. */
function* claimProblems(field: string, claim: Sent<v1.DeviceClaim>): Problems {
  const { requests = [], constraints = [], config = [] } = claim;
  const names = requestNames(requests ?? []);
  yield* uniqueItems(`${field}.requests`, requests ?? [], limits.items, requestProblems, nameOf);
  yield* eachOfFew(`${field}.constraints`, constraints, limits.items, (at, constraint) =>
    constraintProblems(at, constraint, names),
  );
  yield* eachOfFew(`${field}.config`, config, limits.items, function* (at, each) {
    yield* referenceProblems(`${at}.requests`, each.requests ?? [], names);
    yield* configProblems(at, each);
  });
}

/** Returns the names by which a claim refers to its requests; alternatives are `request/alternative`. */
function requestNames(requests: readonly Sent<v1.DeviceRequest>[]): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name = "", firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((each) => `${name}/${each.name ?? ""}`),
    ]),
  );
}

function* requestProblems(field: string, request: Sent<v1.DeviceRequest>): Problems {
  const { name = "", exactly, firstAvailable = [] } = request;
  yield* requestNameProblems(`${field}.name`, name);
  const rule = "exactly one of `exactly` or `firstAvailable` is required";
  if (!exactly && firstAvailable.length === 0) yield required(field, rule);
  else if (!exactly) {
    yield* uniqueItems(
      `${field}.firstAvailable`,
      firstAvailable,
      limits.alternatives,
      alternativeProblems,
      nameOf,
    );
  } else if (firstAvailable.length === 0) yield* exactProblems(`${field}.exactly`, exactly);
  else yield invalid(field, null, `${rule}, but multiple fields are set`);
}

function* alternativeProblems(field: string, request: Sent<v1.DeviceSubRequest>): Problems {
  yield* requestNameProblems(`${field}.name`, request.name ?? "");
  yield* exactProblems(field, request);
}

function requestNameProblems(field: string, name: string): Problems {
  return refused(field, name, checkLabel(name));
}

function* exactProblems(field: string, request: Sent<v1.ExactDeviceRequest>): Problems {
  const { deviceClassName, selectors = [], allocationMode = "", count = 0, tolerations = [] } = request;
  yield* needed(`${field}.deviceClassName`, deviceClassName, checkSubdomain);
  yield* selectorProblems(`${field}.selectors`, selectors);
  if (allocationMode === "All") {
    const detail = "must not be specified when allocationMode is 'All'";
    if (count !== 0) yield invalid(`${field}.count`, count, detail);
  } else if (allocationMode === "ExactCount") {
    if (count <= 0) yield invalid(`${field}.count`, count, "must be greater than zero");
  } else yield* optionalChoice(`${field}.allocationMode`, allocationMode, "resource/v1.ExactDeviceRequest");
  yield* each(`${field}.tolerations`, tolerations, tolerationProblems);
}

function selectorProblems(field: string, selectors: readonly Sent<v1.DeviceSelector>[]): Problems {
  return eachOfFew(field, selectors, limits.items, function* (at, { cel }) {
    if (cel) yield* expressionProblems(`${at}.cel.expression`, cel.expression ?? "");
    else yield required(`${at}.cel`);
  });
}

/** Expressions with the macro `cel.bind`, which no other kind has, are not compiled. */
function* expressionProblems(field: string, expression: string): Problems {
  if (Buffer.byteLength(expression) > limits.expression) yield tooLong(field, limits.expression);
  else if (!/\bcel\s*\.\s*bind\b/u.test(expression)) {
    yield* compilationProblems(field, expression, compileSelector(expression));
  }
}

function* tolerationProblems(field: string, toleration: Sent<v1.DeviceToleration>): Problems {
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
  { requests = [], matchAttribute, distinctAttribute }: Sent<v1.DeviceConstraint>,
  names: ReadonlySet<string>,
): Problems {
  yield* referenceProblems(`${field}.requests`, requests, names);
  if (matchAttribute !== undefined) yield* attributeNameProblems(`${field}.matchAttribute`, matchAttribute);
  else if (distinctAttribute !== undefined) {
    yield* attributeNameProblems(`${field}.distinctAttribute`, distinctAttribute);
  } else {
    const rule = `exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set`;
    yield required(field, rule);
  }
}

/** The name of an attribute, with the domain that defines it. */
function* attributeNameProblems(field: string, name: string): Problems {
  const [domain = "", id] = name.includes("/") ? name.split(/\/(.*)/s) : ["", name];
  if (name.includes("/")) {
    if (domain === "") yield required(field, "the domain must not be empty");
    else {
      if (domain.length > limits.domain) yield tooLong(field, limits.domain);
      yield* refused(field, domain, checkSubdomain(domain));
    }
  }
  if (!id) yield required(field, "the name must not be empty");
  else if (id.length > limits.attribute) yield tooLong(field, limits.attribute);
  if (!name.includes("/"))
    yield invalid(field, name, "a fully qualified name must be a domain and a name separated by a slash");
}

function* referenceProblems(
  field: string,
  references: readonly string[],
  names: ReadonlySet<string>,
): Problems {
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  yield* eachOfFew(field, references, limits.items, function* (at, name) {
    const segments = name.split("/");
    if (segments.length > 2) return yield invalid(at, name, detail);
    for (const segment of segments) yield* requestNameProblems(at, segment);
    if (!names.has(name)) yield invalid(at, name, detail);
  });
  if (references.length <= limits.items) yield* duplicates(field, references);
}

/** Validates the configuration for a driver; only the driver understands its parameters. */
function* configProblems(
  field: string,
  { opaque }: { opaque?: Sent<v1.OpaqueDeviceConfiguration> | undefined },
): Problems {
  if (!opaque) return yield required(`${field}.opaque`);
  const at = `${field}.opaque`;
  yield* driverNameProblems(`${at}.driver`, opaque.driver);
  const parameters: unknown = opaque.parameters ?? null;
  if (parameters === null) yield required(`${at}.parameters`);
  else if (Buffer.byteLength(JSON.stringify(parameters)) > limits.parameters) {
    yield tooLong(`${at}.parameters`, limits.parameters);
  } else if (!isObject(parameters)) {
    yield invalid(`${at}.parameters`, "<value omitted>", "must be a valid JSON object");
  }
}

type ClaimTemplate = ApiObject & { spec?: Sent<v1.ResourceClaimTemplateSpec> };

export const resourceClaimTemplate: BuiltInKind = {
  resource: "resourceclaimtemplates.resource.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: (store) => ({
    returnsDeleted: true,
    default(object) {
      const spec = object["spec"] as Fields | undefined;
      fillIn(spec, () => ({ metadata: {}, spec: {} }));
      defaultClaim(spec?.["spec"]);
    },
    validate: (object: ClaimTemplate) => [
      ...adminAccessProblems(object.spec?.spec?.devices ?? {}, object.metadata.namespace!, store),
      ...templateProblems(object),
    ],
    validateUpdate: (object, old) => [
      ...templateProblems(object),
      ...templateChanges(object["spec"], old["spec"]),
    ],
  }),
};

/** The spec of a template can't change either; Go writes the fields of its metadata into the same struct. */
function* templateChanges(spec: unknown, old: unknown): Problems {
  if (isEqual(spec, old)) return;
  const { metadata, spec: claim } = spec as { metadata?: object; spec?: unknown };
  const shown = { ...metadata, Spec: toGoStruct(claim, "resource/v1.ResourceClaimSpec") };
  yield invalidStruct("spec", shown, "field is immutable");
}

function* templateProblems(object: ClaimTemplate): Problems {
  yield* templateMetadataProblems("spec.metadata", object.spec?.metadata);
  yield* claimProblems("spec.spec.devices", object.spec?.spec?.devices ?? {});
}

export const deviceClass: BuiltInKind = {
  resource: "deviceclasses.resource.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: {
    returnsDeleted: true,
    validateName: declaredSubdomainName,
    validate: (object) => [...classProblems(object)],
    validateUpdate: (object) => [...classProblems(object)],
  },
};

type DeviceClass = ApiObject & { spec?: Sent<v1.DeviceClassSpec> };

function* classProblems({ spec = {} }: DeviceClass): Problems {
  const { selectors = [], config = [], extendedResourceName: name } = spec;
  yield* selectorProblems("spec.selectors", selectors);
  yield* eachOfFew("spec.config", config, limits.configsOfClass, configProblems);
  if (name !== undefined && !isExtended(name))
    yield invalid("spec.extendedResourceName", name, "must be a valid extended resource name");
}
