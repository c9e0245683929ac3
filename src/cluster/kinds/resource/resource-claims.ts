import type * as v1 from "@tsbuilder/apimachinery/k8s/resource/v1";
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
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import type { Store } from "../../storage/store.ts";
import { servesSince } from "../../contract/version.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField } from "../cells.ts";
import type { Problems } from "../checks/problems.ts";
import {
  checked,
  choice,
  declaredImmutable,
  duplicates,
  each,
  eachOfFew,
  itemsOf,
  nameOf,
  uniqueItems,
  needed,
  optionalChoice,
  refused,
} from "../checks/problems.ts";
import { checkInterfaceAddress } from "../checks/addresses.ts";
import { conditionProblems, templateMetadataProblems } from "../checks/meta-types.ts";
import { nodeSelectorProblems } from "../core/pod-spec/scheduling.ts";
import { type Fields, eachOf } from "../fill-in.ts";
import { declaredSubdomainName } from "../../registry/validate-metadata.ts";
import { isExtended } from "../core/resources.ts";
import { compileSelector } from "../../expressions/expression.ts";
import { compilationProblems } from "../admissionregistration/match-conditions.ts";
import { driverNameProblems } from "../checks/names.ts";
import { toGoStruct } from "../checks/go-struct.ts";
import { bindingConditionProblems, checkIdentifier, poolNameProblems } from "./resource-slice.ts";

export const resourceClaim: BuiltInKind = {
  resource: "resourceclaims.resource.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: (store) => ({
    returnsDeleted: true,
    default(object) {
      defaultClaim(object["spec"]);
    },
    // The statuses that drivers write of devices end with the allocation.
    prepareForUpdate({ status }: Claim, { status: before }: Claim) {
      if (status && before?.allocation && !status.allocation) delete status.devices;
    },
    validate: (object) => [
      ...adminAccessProblems(devicesOf(object), object.metadata.namespace!, store),
      ...claimProblems("spec.devices", devicesOf(object)),
    ],
    validateUpdate: (object, old, { subresource }) =>
      subresource === ""
        ? [...claimChanges(object["spec"], old["spec"])]
        : [...adminResultProblems(object, old, store), ...claimStatusProblems(object, old)],
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

type Claim = ApiObject & { spec?: Sent<v1.ResourceClaimSpec>; status?: Sent<v1.ResourceClaimStatus> };

/** Validates what a scheduler and the drivers say of a claim: its devices, who uses them, and how they are. */
function* claimStatusProblems({ metadata, spec, status = {} }: Claim, old: Claim): Problems {
  const { reservedFor = [], devices = [], allocation } = status;
  const { allocation: before, reservedFor: oldUsers = [] } = old.status ?? {};
  const field = "status.reservedFor";
  yield* uniqueItems(field, reservedFor, limits.users, userProblems, ({ uid = "" }) => uid);
  const allocated = new Set(
    (allocation?.devices?.results ?? []).map((each) => JSON.stringify(deviceId(each))),
  );
  const seen = new Set<string>();
  for (const [at, device] of itemsOf("status.devices", devices)) yield* deviceProblems(at, device, allocated);
  for (const [at, device] of itemsOf("status.devices", devices)) {
    const id = deviceId(device);
    if (seen.has(JSON.stringify(id))) yield duplicate(at, id);
    seen.add(JSON.stringify(id));
  }
  if (reservedFor.length > 0 && !allocation)
    yield forbidden(field, "may not be specified when `allocated` is not set");
  else if (
    metadata.deletionTimestamp &&
    reservedFor.some((user) => !oldUsers.some((each) => isEqual(each, user)))
  ) {
    const detail =
      "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
    yield forbidden(field, detail);
  }
  if (before && allocation)
    yield* declaredImmutable(
      "status.allocation",
      allocation,
      before,
      toGoStruct(allocation, "resource/v1.AllocationResult"),
    );
  else if (allocation)
    yield* allocationProblems("status.allocation", allocation, requestNames(spec?.devices?.requests ?? []));
}

function* userProblems(field: string, user: Sent<v1.ResourceClaimConsumerReference>): Problems {
  for (const name of ["resource", "name", "uid"] as const) yield* needed(`${field}.${name}`, user[name]);
}

/** The identity of a device, as messages show it. */
function deviceId(device: {
  driver?: string;
  pool?: string;
  device?: string;
  shareID?: string | undefined;
}): object {
  return {
    Driver: device.driver ?? "",
    Pool: device.pool ?? "",
    Device: device.device ?? "",
    ShareID: device.shareID ?? "",
  };
}

function* deviceProblems(
  field: string,
  device: Sent<v1.AllocatedDeviceStatus>,
  allocated: ReadonlySet<string>,
): Problems {
  yield* placeProblems(field, device);
  const id = deviceId(device);
  if (!allocated.has(JSON.stringify(id)))
    yield invalidStruct(field, id, "must be an allocated device in the claim");
  const { conditions, data, networkData = {} } = device;
  if ((conditions?.length ?? 0) > limits.conditions)
    yield tooMany(`${field}.conditions`, conditions!.length, limits.conditions);
  yield* conditionProblems(`${field}.conditions`, conditions ?? []);
  if (data !== undefined) yield* rawProblems(`${field}.data`, data);
  const { interfaceName = "", hardwareAddress = "", ips = [] } = networkData;
  const at = `${field}.networkData`;
  if (Buffer.byteLength(interfaceName) > limits.interfaceName)
    yield tooLong(`${at}.interfaceName`, limits.interfaceName);
  if (Buffer.byteLength(hardwareAddress) > limits.hardwareAddress)
    yield tooLong(`${at}.hardwareAddress`, limits.hardwareAddress);
  const checkIP = (each: string, ip: string): Problems => refused(each, ip, checkInterfaceAddress(ip));
  yield* uniqueItems(`${at}.ips`, ips, limits.addresses, checkIP, (ip) => ip);
}

/** Validates the driver, the pool, the name and the share of a device. */
function* placeProblems(
  field: string,
  { driver, pool = "", device = "", shareID }: Sent<v1.AllocatedDeviceStatus>,
): Problems {
  yield* driverNameProblems(`${field}.driver`, driver);
  yield* poolNameProblems(`${field}.pool`, pool);
  yield* refused(`${field}.device`, device, checkLabel(device));
  yield* checked(`${field}.shareID`, shareID, uidReasons);
}

function uidReasons(uid: string): string[] {
  // Go's parser also reads forms with braces, with a prefix, and without hyphens.
  if (![32, 36, 38, 45].includes(uid.length))
    return [`error validating uid: invalid UUID length: ${uid.length}`];
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(uid))
    return ["error validating uid: invalid UUID format"];
  const form = "`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";
  return uid === uid.toLowerCase() ? [] : [`uid must be in RFC 4122 normalized form, ${form}`];
}

function* allocationProblems(
  field: string,
  { devices = {}, nodeSelector }: Sent<v1.AllocationResult>,
  names: ReadonlySet<string>,
): Problems {
  const at = `${field}.devices`;
  yield* eachOfFew(`${at}.results`, devices.results ?? [], limits.items, function* (each, result) {
    yield* requestReferenceProblems(`${each}.request`, result.request ?? "", names);
    yield* placeProblems(each, result);
    yield* bindingConditionProblems(each, result);
  });
  yield* eachOfFew(`${at}.config`, devices.config ?? [], 2 * limits.items, function* (each, config) {
    yield* choice(`${each}.source`, config.source, ["FromClaim", "FromClass"]);
    yield* referenceProblems(`${each}.requests`, config.requests ?? [], names);
    yield* configProblems(each, config);
  });
  if (nodeSelector) yield* nodeSelectorProblems(`${field}.nodeSelector`, nodeSelector.nodeSelectorTerms);
}

/** A request is for exactly one device by default. */
function defaultClaim(spec: unknown): void {
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
  if (index >= 0) yield* adminLabelProblems(`spec.devices.requests[${index}].adminAccess`, namespace, store);
}

/** The same for allocated devices, unless some were allocated before. */
function* adminResultProblems(object: Claim, old: Claim, store: Store): Problems {
  const [now, before] = [object, old].map(({ status }) =>
    (status?.allocation?.devices?.results ?? []).findIndex(({ adminAccess }) => adminAccess === true),
  ) as [number, number];
  if (now < 0 || before >= 0) return;
  const field = `status.allocation.devices.results[${now}].adminAccess`;
  yield* adminLabelProblems(field, object.metadata.namespace!, store);
}

function* adminLabelProblems(field: string, namespace: string, store: Store): Problems {
  const labels = store.collection("namespaces").get(namespace)?.object.metadata.labels;
  if (labels?.[adminAccessLabel] === "true") return;
  const detail = `admin access to devices requires the \`${adminAccessLabel}: true\` label on the containing namespace`;
  yield forbidden(field, detail);
}

/** The greatest numbers of items in lists, and the greatest lengths of texts. */
const limits = {
  configsOfClass: 32,
  items: 32,
  alternatives: 8,
  expression: 10 * 1024,
  parameters: 10 * 1024,
  domain: 63,
  users: 256,
  conditions: 8,
  interfaceName: 256,
  hardwareAddress: 128,
  addresses: 16,
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
  if (!name.includes("/")) {
    yield* refused(field, name, checkIdentifier(name));
    return yield invalid(
      field,
      name,
      "a fully qualified name must be a domain and a name separated by a slash",
    );
  }
  const [domain = "", id] = name.split(/\/(.*)/s);
  if (domain === "") yield required(field, "the domain must not be empty");
  else {
    if (domain.length > limits.domain) yield tooLong(field, limits.domain);
    yield* refused(field, domain, checkSubdomain(domain));
  }
  if (!id) return yield required(field, "the name must not be empty");
  if (id.length > limits.attribute) yield tooLong(field, limits.attribute);
  yield* refused(field, id, checkIdentifier(id));
}

function* referenceProblems(
  field: string,
  references: readonly string[],
  names: ReadonlySet<string>,
): Problems {
  yield* eachOfFew(field, references, limits.items, (at, name) => requestReferenceProblems(at, name, names));
  if (references.length <= limits.items) yield* duplicates(field, references);
}

function* requestReferenceProblems(field: string, name: string, names: ReadonlySet<string>): Problems {
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const segments = name.split("/");
  if (segments.length > 2) return yield invalid(field, name, detail);
  for (const segment of segments) yield* requestNameProblems(field, segment);
  if (!names.has(name)) yield invalid(field, name, detail);
}

/** Validates the configuration for a driver; only the driver understands its parameters. */
function* configProblems(
  field: string,
  { opaque }: { opaque?: Sent<v1.OpaqueDeviceConfiguration> | undefined },
): Problems {
  if (!opaque) return yield required(`${field}.opaque`);
  const at = `${field}.opaque`;
  yield* driverNameProblems(`${at}.driver`, opaque.driver);
  yield* rawProblems(`${at}.parameters`, opaque.parameters);
}

/** Validates an object that only a driver understands. */
function* rawProblems(field: string, value: unknown): Problems {
  if ((value ?? null) === null) yield required(field);
  else if (Buffer.byteLength(JSON.stringify(value)) > limits.parameters)
    yield tooLong(field, limits.parameters);
  else if (!isObject(value)) yield invalid(field, "<value omitted>", "must be a valid JSON object");
}

type ClaimTemplate = ApiObject & { spec?: Sent<v1.ResourceClaimTemplateSpec> };

export const resourceClaimTemplate: BuiltInKind = {
  resource: "resourceclaimtemplates.resource.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: (store) => ({
    returnsDeleted: true,
    default(object) {
      defaultClaim((object["spec"] as Fields | undefined)?.["spec"]);
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
    yield* refused("spec.extendedResourceName", name, [...unextendedReasons(name)]);
}

/** Returns why a name is none of an extended resource; since 1.37 a server says it in parts. */
function* unextendedReasons(name: string): Generator<string, void> {
  if (!servesSince("1.37")) return yield "must be a valid extended resource name";
  if (!name.includes("/")) yield "a name must be a domain-prefixed path, such as 'example.com/my-prop'";
  else if (name.includes("kubernetes.io/")) yield `must not have "kubernetes.io/" domain`;
  if (name.startsWith("requests.")) yield `must not have "requests." prefix`;
  yield* checkQualifiedName(`requests.${name}`);
}
