import {
  duplicate,
  forbidden,
  invalid,
  invalidStruct,
  required,
  tooLong,
} from "@tsbuilder/apimachinery/errors";
import type * as v1 from "@tsbuilder/apimachinery/k8s/resource/v1";
import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "@tsbuilder/apimachinery/naming";
import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { addQuantities, compareQuantities, quantityToInteger } from "@tsbuilder/apimachinery/quantity";
import type { ApiObject } from "../../contract/api-object.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { text } from "../cells.ts";
import { type Fields, eachOf, fillIn } from "../fill-in.ts";
import type { Sent } from "../../contract/sent.ts";
import type { Problems } from "../checks/problems.ts";
import { choice, duplicates, each, eachOfFew, immutable, refused } from "../checks/problems.ts";
import { nodeSelectorProblems } from "../core/pod-spec/scheduling.ts";
import { driverName } from "../storage/storage-class.ts";
import { nameOf, uniqueItems } from "./resource-claims.ts";

type ResourceSlice = ApiObject & { spec?: Sent<v1.ResourceSliceSpec> };

/** The most items of lists, and the lengths of texts. */
const limits = {
  devices: 128,
  advancedDevices: 64,
  counterSets: 8,
  validValues: 10,
  facts: 32,
  taints: 16,
  conditions: 4,
  poolName: 253,
  name: 32,
  value: 64,
};

/** Validates a slice: driver, pool, its one choice of nodes, and the names of its devices. */
function* sliceProblems({ spec = {} }: ResourceSlice, old?: ResourceSlice): Problems {
  const { driver, pool = {}, nodeName, devices = [] } = spec;
  yield* driverName("spec.driver", driver);
  yield* poolProblems("spec.pool", pool);
  if (old) {
    const before = old.spec ?? {};
    yield* immutable("spec.pool.name", pool.name ?? "", before.pool?.name);
    yield* immutable("spec.driver", driver, before.driver);
    yield* immutable("spec.nodeName", nodeName, before.nodeName);
  }
  yield* nodeProblems(spec);
  if (spec.sharedCounters && spec.devices) {
    yield invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed");
  }
  const placed = spec.perDeviceNodeSelection === true;
  const most = devices.some(isAdvanced) ? limits.advancedDevices : limits.devices;
  const { sharedCounters = [] } = spec;
  const ofDevice = (at: string, device: SentDevice) => deviceProblems(at, device, placed);
  const ofCounters = (at: string, set: Sent<v1.CounterSet>) => counterProblems(at, "name", set);
  yield* uniqueItems("spec.devices", devices, most, ofDevice, nameOf);
  yield* uniqueItems("spec.sharedCounters", sharedCounters, limits.counterSets, ofCounters, nameOf);
}

/** Devices with taints or counters cost the scheduler more. */
function isAdvanced({ taints = [], consumesCounters = [] }: SentDevice): boolean {
  return taints.length > 0 || consumesCounters.length > 0;
}

/** Validates how much of a device's capacity one request may get; only devices with several users share it. */
function* capacityProblems(field: string, capacity: Sent<v1.DeviceCapacity>, shared: boolean): Problems {
  const { requestPolicy: policy, value: most = "0" } = capacity;
  if (!policy) return;
  const at = `${field}.requestPolicy`;
  const { default: given, validValues = [], validRange } = policy;
  const usual = given ?? undefined;
  if (!shared) yield forbidden(at, "allowMultipleAllocations must be true");
  else if (validValues.length > 0 && validRange) {
    const detail = `exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`;
    yield forbidden(at, detail);
  } else if (validValues.length > 0) {
    if (usual === undefined) yield required(`${at}.default`, "required when validValues is defined");
    else yield* valueProblems(`${at}.validValues`, validValues, usual, most);
  } else if (validRange) {
    if (usual === undefined) yield required(`${at}.default`, "required when validRange is defined");
    else yield* rangeProblems(`${at}.validRange`, validRange, usual, most);
  }
}

function* valueProblems(
  field: string,
  values: readonly Quantity[],
  usual: Quantity,
  most: Quantity,
): Problems {
  for (const [index, value] of values.entries()) {
    if (index > 0 && compareQuantities(values[index - 1]!, value) > 0) {
      yield invalid(`${field}[${index}]`, value, "values must be sorted in ascending order");
    }
  }
  yield* eachOfFew(field, values, limits.validValues, function* (at, value) {
    if (compareQuantities(value, most) <= 0) return;
    yield invalid(at, value, `option is larger than capacity value: ${most}`);
  });
  if (values.length <= limits.validValues) {
    yield* duplicates(
      field,
      values.map((value) => String(quantityToInteger(value))),
    );
  }
  if (values.length > limits.validValues || !values.some((value) => compareQuantities(value, usual) === 0)) {
    yield invalid(field, usual, "default value is not valid according to the requestPolicy");
  }
}

function* rangeProblems(
  field: string,
  { min: least, max, step }: Sent<v1.CapacityRequestPolicyRange>,
  usual: Quantity,
  most: Quantity,
): Problems {
  const min = least ?? undefined;
  if (min === undefined) return yield required(`${field}.min`, "required when validRange is defined");
  const exceeds = (a: Quantity, b: Quantity) => compareQuantities(a, b) > 0;
  if (exceeds(min, most)) yield invalid(`${field}.min`, min, `min is larger than capacity value: ${most}`);
  if (exceeds(min, usual)) yield invalid(`${field}.min`, usual, `default is less than min: ${min}`);
  if (max !== undefined) {
    if (exceeds(min, max)) yield invalid(`${field}.max`, min, `min is larger than max: ${max}`);
    if (exceeds(max, most)) yield invalid(`${field}.max`, max, `max is larger than capacity value: ${most}`);
    if (exceeds(usual, max)) yield invalid(`${field}.max`, usual, `default is more than max: ${max}`);
  }
  if (step === undefined) return;
  const next = addQuantities(min, step);
  if (exceeds(next, most)) {
    yield invalid(`${field}.step`, step, `one step ${next} is larger than capacity value: ${most}`);
  }
  for (const value of max === undefined ? [usual] : [usual, max]) {
    const steps = quantityToInteger(value) - quantityToInteger(min);
    const size = quantityToInteger(step);
    if (size !== 0n && steps % size !== 0n) {
      yield invalid(
        `${field}.step`,
        value,
        `value is not a multiple of a given step (${step}) from (${min})`,
      );
    }
  }
}

type SentDevice = Sent<v1.Device>;

/** Validates a device of a slice; `placed` says whether each device names its own nodes. */
function* deviceProblems(field: string, device: SentDevice, placed: boolean): Problems {
  const { name = "", attributes = {}, capacity = {}, taints = [], consumesCounters = [] } = device;
  yield* refused(`${field}.name`, name, checkLabel(name));
  const facts = Object.keys(attributes).length + Object.keys(capacity).length;
  if (facts > limits.facts) {
    yield invalid(
      field,
      facts,
      `the total number of attributes and capacities must not exceed ${limits.facts}`,
    );
  }
  for (const [key, attribute] of Object.entries(attributes)) {
    yield* factName(`${field}.attributes`, key);
    yield* attributeProblems(`${field}.attributes[${key}]`, attribute);
  }
  for (const [key, each] of Object.entries(capacity)) {
    yield* factName(`${field}.capacity`, key);
    yield* capacityProblems(`${field}.capacity[${key}]`, each, device.allowMultipleAllocations === true);
  }
  yield* eachOfFew(`${field}.taints`, taints, limits.taints, taintProblems);
  const consumed = consumesCounters.map(({ counterSet: name = "", counters }) => {
    return { name, ...(counters && { counters }) };
  });
  yield* each(`${field}.consumesCounters`, consumed, (at, set) => counterProblems(at, "counterSet", set));
  yield* duplicates(`${field}.consumesCounters`, consumed.map(nameOf));
  yield* placeProblems(field, device, placed);
  yield* bindingProblems(field, device);
}

/** Validates counters, and the name of their set. */
function* counterProblems(field: string, nameField: string, set: Sent<v1.CounterSet>): Problems {
  const { name = "", counters = {} } = set;
  if (name === "") yield required(`${field}.${nameField}`);
  else yield* refused(`${field}.${nameField}`, name, checkLabel(name));
  const keys = Object.keys(counters ?? {});
  if (keys.length === 0) yield required(`${field}.counters`);
  for (const key of keys) yield* refused(`${field}.counters`, key, checkLabel(key));
}

const cIdentifier =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

/** The name of an attribute or a capacity, perhaps with the domain that defines it. */
function* factName(field: string, key: string): Problems {
  const parts = key.split("/");
  if (parts.length > 2) return;
  const name = parts.at(-1)!;
  if (parts.length === 2) {
    if (parts[0] === "") yield invalid(field, "", "the domain must not be empty");
    else yield* driverName(field, parts[0]);
    if (name === "") return yield invalid(field, "", "the name must not be empty");
  }
  if (name.length > limits.name) yield tooLong(field, limits.name);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) yield invalid(field, name, cIdentifier);
}

const oneValue = "exactly one value must be specified";

const part = String.raw`(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`;

const semanticVersion = new RegExp(
  String.raw`^(?:(?:0|[1-9]\d*)\.){2}(?:0|[1-9]\d*)(?:-${part}(?:\.${part})*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$`,
);

function* attributeProblems(field: string, attribute: Sent<v1.DeviceAttribute>): Problems {
  const { bool, int, string, version } = attribute;
  if (string !== undefined && string.length > limits.value) yield tooLong(`${field}.string`, limits.value);
  if (version !== undefined) {
    if (!semanticVersion.test(version)) {
      yield invalid(`${field}.version`, version, "must be a string compatible with semver.org spec 2.0.0");
    }
    if (version.length > limits.value) yield tooLong(`${field}.version`, limits.value);
  }
  const given = [bool, int, string, version].filter((value) => value !== undefined);
  if (given.length === 0) yield invalid(field, "", oneValue);
  if (given.length > 1) {
    const struct = {
      IntValue: int ?? null,
      BoolValue: bool ?? null,
      StringValue: string ?? null,
      VersionValue: version ?? null,
      IntValues: null,
      BoolValues: null,
      StringValues: null,
      VersionValues: null,
    };
    yield invalidStruct(field, struct, oneValue);
  }
}

function* taintProblems(field: string, { key = "", value = "", effect }: Sent<v1.DeviceTaint>): Problems {
  yield* refused(`${field}.key`, key, checkQualifiedName(key));
  if (value !== "") yield* refused(`${field}.value`, value, checkLabelValue(value));
  yield* choice(`${field}.effect`, effect, "resource/v1.DeviceTaint");
}

const perDevice = "`perDeviceNodeSelection` is set to true in the ResourceSlice spec";

function* placeProblems(field: string, device: SentDevice, placed: boolean): Problems {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!placed) {
    if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return;
    return yield invalid(
      field,
      null,
      `\`nodeName\`, \`nodeSelector\` and \`allNodes\` can only be set if ${perDevice}`,
    );
  }
  if (nodeName === "") yield invalid(`${field}.nodeName`, "", "must not be empty");
  else if (nodeName !== undefined) yield* refused(`${field}.nodeName`, nodeName, checkSubdomain(nodeName));
  if (allNodes === false) yield invalid(`${field}.allNodes`, false, "must be either unset or set to true");
  const given = Object.entries({ nodeName, nodeSelector, allNodes }).filter(([, value]) => Boolean(value));
  const rule = `exactly one of \`nodeName\`, \`nodeSelector\`, or \`allNodes\` is required when ${perDevice}`;
  if (given.length === 0) yield required(field, rule);
  else if (given.length > 1) {
    yield invalid(field, `{${given.map(([name]) => `\`${name}\``).join(", ")}}`, rule);
  }
}

/** A device that waits for conditions also says which conditions end the wait in failure. */
function* bindingProblems(field: string, device: SentDevice): Problems {
  const { bindingConditions = [], bindingFailureConditions = [] } = device;
  for (const [name, list] of Object.entries({ bindingConditions, bindingFailureConditions })) {
    yield* eachOfFew(`${field}.${name}`, list, limits.conditions, (at, each) =>
      refused(at, each, checkQualifiedName(each)),
    );
  }
  for (const [name, list] of Object.entries({ bindingConditions, bindingFailureConditions })) {
    for (const [index, each] of list.entries()) {
      const at = `${field}.${name}[${index}]`;
      if (list.indexOf(each) < index) yield duplicate(at, each);
      if (list === bindingFailureConditions && bindingConditions.includes(each)) {
        yield invalid(at, each, "bindingFailureConditions must not overlap with bindingConditions");
      }
    }
  }
  if (bindingConditions.length === 0 && bindingFailureConditions.length > 0) {
    const detail = "bindingConditions are required to use bindingFailureConditions";
    yield invalid(`${field}.bindingConditions`, device.bindingConditions ?? null, detail);
  }
  if (bindingFailureConditions.length === 0 && bindingConditions.length > 0) {
    const detail = "bindingFailureConditions are required to use bindingConditions";
    yield invalid(`${field}.bindingFailureConditions`, device.bindingFailureConditions ?? null, detail);
  }
}

function* poolProblems(field: string, pool: Sent<v1.ResourcePool>): Problems {
  const { name = "", resourceSliceCount: count = 0, generation = 0 } = pool;
  if (name === "") yield required(`${field}.name`);
  else {
    if (name.length > limits.poolName) yield tooLong(`${field}.name`, limits.poolName);
    for (const part of name.split("/")) yield* refused(`${field}.name`, part, checkSubdomain(part));
  }
  if (count <= 0) yield invalid(`${field}.resourceSliceCount`, count, "must be greater than zero");
  if (generation < 0) {
    yield invalid(`${field}.generation`, generation, "must be greater than or equal to zero");
  }
}

/** A slice says in one of four ways from which nodes its devices are accessible. */
function* nodeProblems({
  nodeName,
  nodeSelector,
  allNodes,
  perDeviceNodeSelection,
}: Sent<v1.ResourceSliceSpec>): Problems {
  if (nodeName === "") {
    yield invalid("spec.nodeName", nodeName, "must be either unset or set to a non-empty string");
  } else if (nodeName !== undefined) yield* refused("spec.nodeName", nodeName, checkSubdomain(nodeName));
  if (nodeSelector) yield* nodeSelectorProblems("spec.nodeSelector", nodeSelector.nodeSelectorTerms);
  if (nodeSelector && nodeSelector.nodeSelectorTerms?.length !== 1) {
    const terms = nodeSelector.nodeSelectorTerms ?? null;
    yield invalid("spec.nodeSelector.nodeSelectorTerms", terms, "must have exactly one node selector term");
  }
  for (const [name, flag] of Object.entries({ allNodes, perDeviceNodeSelection })) {
    if (flag === false) yield invalid(`spec.${name}`, flag, "must be either unset or set to true");
  }
  const given = Object.entries({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection });
  const set = given.filter(([, value]) => Boolean(value)).map(([name]) => `\`${name}\``);
  const rule = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (set.length === 0) yield required("spec", rule);
  else if (set.length > 1) {
    yield invalid("spec", `{${set.join(", ")}}`, `${rule}, but multiple fields are set`);
  }
}

/** The feature gate of devices that consume a node's own resources is off by default. */
function dropMappings(object: ApiObject): void {
  for (const device of eachOf(object["spec"], "devices")) delete device["nodeAllocatableResourceMappings"];
}

export const resourceSlice: BuiltInKind = {
  resource: "resourceslices.resource.k8s.io",
  strategy: {
    returnsDeleted: true,
    default: (object) => fillIn((object["spec"] as Fields | undefined)?.["pool"], () => ({ generation: 0 })),
    prepareForCreate: dropMappings,
    prepareForUpdate: dropMappings,
    validate: (object) => [...sliceProblems(object)],
    validateUpdate: (object, old) => [...sliceProblems(object, old)],
    warnings: (object) => {
      const driver = (object as ResourceSlice).spec?.driver ?? "";
      if (driver === driver.toLowerCase()) return [];
      const shown = JSON.stringify(driver);
      return [`spec.driver: driver names should be lowercase; ${shown} contains uppercase characters`];
    },
  },
  cells: { Node: text("spec.nodeName"), Driver: text("spec.driver"), Pool: text("spec.pool.name") },
  emptyObject: { spec: { pool: { generation: 0 } } },
  zeroValues: { spec: { driver: "", pool: { name: "", resourceSliceCount: 0 } } },
};
