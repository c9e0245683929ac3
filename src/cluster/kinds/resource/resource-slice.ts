import {
  duplicate,
  forbidden,
  invalid,
  invalidStruct,
  required,
  tooLong,
  tooMany,
} from "@tsbuilder/apimachinery/errors";
import type * as v1 from "@tsbuilder/apimachinery/k8s/resource/v1";
import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "@tsbuilder/apimachinery/naming";
import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { addQuantities, compareQuantities, quantityToInteger } from "@tsbuilder/apimachinery/quantity";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { servesSince } from "../../contract/version.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { text } from "../cells.ts";
import type { Problems } from "../checks/problems.ts";
import {
  choice,
  duplicates,
  each,
  eachOfFew,
  immutable,
  nameOf,
  refused,
  uniqueItems,
  itemsOf,
} from "../checks/problems.ts";
import { nodeSelectorProblems } from "../core/pod-spec/scheduling.ts";
import { driverNameProblems } from "../checks/names.ts";

type ResourceSlice = ApiObject & { spec?: Sent<v1.ResourceSliceSpec> };

export const resourceSlice: BuiltInKind = {
  resource: "resourceslices.resource.k8s.io",
  strategy: {
    returnsDeleted: true,
    default(object, { now }) {
      for (const { taints } of (object as ResourceSlice).spec?.devices ?? [])
        for (const taint of taints ?? []) taint.timeAdded ??= formatTime(now);
    },
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
};

type SentDevice = Sent<v1.Device>;

/** The largest numbers of items in lists. */
const mostItems = {
  devices: 128,
  /** The devices of a slice if one of them has taints or counters, which cost the scheduler more. */
  advancedDevices: 64,
  counterSets: 8,
  counters: 32,
  consumedSets: 2,
  validValues: 10,
  attributesAndCapacities: 32,
  taints: 16,
  conditions: 4,
};

/** Validates a slice; on an update, `old` is the stored one. */
function* sliceProblems({ spec = {} }: ResourceSlice, old?: ResourceSlice): Problems {
  const { driver, pool = {}, nodeName, devices = [] } = spec;
  yield* driverNameProblems("spec.driver", driver);
  yield* poolProblems("spec.pool", pool);
  if (old) {
    const before = old.spec ?? {};
    yield* immutable("spec.pool.name", pool.name ?? "", before.pool?.name);
    yield* immutable("spec.driver", driver, before.driver);
    yield* immutable("spec.nodeName", nodeName, before.nodeName);
  }
  yield* nodeProblems(spec);
  if (spec.sharedCounters && spec.devices)
    yield invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed");
  const isPlacedPerDevice = spec.perDeviceNodeSelection === true;
  const most = devices.some(isAdvanced) ? mostItems.advancedDevices : mostItems.devices;
  const { sharedCounters = [] } = spec;
  const stored = new Map((old?.spec?.devices ?? []).map((device) => [nameOf(device), device]));
  const ofDevice = (at: string, device: SentDevice) =>
    deviceProblems(at, device, isPlacedPerDevice, stored.get(nameOf(device)));
  const ofCounters = (at: string, set: Sent<v1.CounterSet>) => counterProblems(at, "name", set);
  yield* uniqueItems("spec.devices", devices, most, ofDevice, nameOf);
  yield* uniqueItems("spec.sharedCounters", sharedCounters, mostItems.counterSets, ofCounters, nameOf);
}

/** The greatest lengths of texts; that of a name is without its domain. */
const longestTexts = { poolName: 253, name: 32, value: 64 };

function* poolProblems(field: string, pool: Sent<v1.ResourcePool>): Problems {
  const { name = "", resourceSliceCount: count = 0, generation = 0 } = pool;
  yield* poolNameProblems(`${field}.name`, name);
  if (count <= 0) yield invalid(`${field}.resourceSliceCount`, count, "must be greater than zero");
  if (generation < 0)
    yield invalid(`${field}.generation`, generation, "must be greater than or equal to zero");
}

export function* poolNameProblems(field: string, name: string): Problems {
  if (name === "") return yield required(field);
  if (name.length > longestTexts.poolName) yield tooLong(field, longestTexts.poolName);
  for (const part of name.split("/")) yield* refused(field, part, checkSubdomain(part));
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
  const choices = Object.entries({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection });
  const setFields = choices.filter(([, value]) => Boolean(value)).map(([name]) => `\`${name}\``);
  const rule = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (setFields.length === 0) yield required("spec", rule);
  else if (setFields.length > 1) {
    yield invalid("spec", `{${setFields.join(", ")}}`, `${rule}, but multiple fields are set`);
  }
}

function isAdvanced({ taints = [], consumesCounters = [] }: SentDevice): boolean {
  return taints.length > 0 || consumesCounters.length > 0;
}

/**
 * Validates a device of a slice; `isPlacedPerDevice` says whether each device names its own nodes. Taints that the stored
 * device has are not checked again.
 */
function* deviceProblems(
  field: string,
  device: SentDevice,
  isPlacedPerDevice: boolean,
  old?: SentDevice,
): Problems {
  const { name = "", attributes = {}, capacity = {}, taints = [], consumesCounters = [] } = device;
  yield* refused(`${field}.name`, name, checkLabel(name));
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  if (count > mostItems.attributesAndCapacities) {
    yield invalid(
      field,
      count,
      `the total number of attributes and capacities must not exceed ${mostItems.attributesAndCapacities}`,
    );
  }
  for (const [key, attribute] of Object.entries(attributes)) {
    yield* attributeNameProblems(`${field}.attributes`, key);
    yield* attributeProblems(`${field}.attributes[${key}]`, attribute);
  }
  for (const [key, value] of Object.entries(capacity)) {
    yield* attributeNameProblems(`${field}.capacity`, key);
    yield* capacityProblems(`${field}.capacity[${key}]`, value, device.allowMultipleAllocations === true);
  }
  if (!isEqual(withoutTimes(taints), withoutTimes(old?.taints)))
    yield* eachOfFew(`${field}.taints`, taints, mostItems.taints, taintProblems);
  const consumed = consumesCounters.map(({ counterSet: name = "", counters }) => {
    return { name, ...(counters && { counters }) };
  });
  const ofConsumed = (at: string, set: Sent<v1.CounterSet>) => counterProblems(at, "counterSet", set);
  yield* uniqueItems(`${field}.consumesCounters`, consumed, mostItems.consumedSets, ofConsumed, nameOf);
  yield* nodeChoiceProblems(field, device, isPlacedPerDevice);
  yield* bindingConditionProblems(field, device);
}

/** Taints as a client sends them: the server adds the time. */
function withoutTimes(taints: SentDevice["taints"] = []): object[] {
  return taints.map(({ timeAdded: _time, ...taint }) => taint);
}

const cIdentifier =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

/** Returns why a name is not an identifier as in the language C. */
export function checkIdentifier(name: string): string[] {
  return /^[A-Za-z_][A-Za-z0-9_]*$/u.test(name) ? [] : [cIdentifier];
}

/** The name of an attribute or a capacity, perhaps with the domain that defines it. */
function* attributeNameProblems(field: string, key: string): Problems {
  const parts = key.split("/");
  if (parts.length > 2) return;
  const name = parts.at(-1)!;
  if (parts.length === 2) {
    if (parts[0] === "") yield invalid(field, "", "the domain must not be empty");
    else yield* driverNameProblems(field, parts[0]);
    if (name === "") return yield invalid(field, "", "the name must not be empty");
  }
  if (name.length > longestTexts.name) yield tooLong(field, longestTexts.name);
  yield* refused(field, name, checkIdentifier(name));
}

const oneValueRule = "exactly one value must be specified";
const anyValueRule =
  "must specify one of: `int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`";

/** An identifier of a pre-release in a semantic version. */
const preReleasePart = String.raw`(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
const semanticVersion = new RegExp(
  String.raw`^(?:(?:0|[1-9]\d*)\.){2}(?:0|[1-9]\d*)(?:-${preReleasePart}(?:\.${preReleasePart})*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$`,
);

function* attributeProblems(field: string, attribute: Sent<v1.DeviceAttribute>): Problems {
  const { bool, int, string, version, bools, ints, strings, versions } = attribute;
  if (string !== undefined) yield* textProblems(`${field}.string`, string);
  if (version !== undefined) yield* versionProblems(`${field}.version`, version);
  for (const [name, list] of Object.entries({ bools, ints, strings, versions })) {
    if (list?.length === 0) yield invalid(`${field}.${name}`, list, "must not be empty if specified");
  }
  yield* each(`${field}.strings`, strings, textProblems);
  yield* each(`${field}.versions`, versions, versionProblems);
  const values = [bool, int, string, version, bools, ints, strings, versions].filter(
    (value) => value !== undefined,
  );
  if (values.length === 0) yield invalid(field, "", servesSince("1.37") ? anyValueRule : oneValueRule);
  if (values.length > 1) {
    const struct = {
      IntValue: int ?? null,
      BoolValue: bool ?? null,
      StringValue: string ?? null,
      VersionValue: version ?? null,
      IntValues: ints ?? null,
      BoolValues: bools ?? null,
      StringValues: strings ?? null,
      VersionValues: versions ?? null,
    };
    yield invalidStruct(field, struct, oneValueRule);
  }
}

function* textProblems(field: string, text: string): Problems {
  if (text.length > longestTexts.value) yield tooLong(field, longestTexts.value);
}

function* versionProblems(field: string, version: string): Problems {
  if (!semanticVersion.test(version))
    yield invalid(field, version, "must be a string compatible with semver.org spec 2.0.0");
  yield* textProblems(field, version);
}

/** Validates how much of a device's capacity one request may get; only devices with several users share it. */
function* capacityProblems(field: string, capacity: Sent<v1.DeviceCapacity>, shared: boolean): Problems {
  const { requestPolicy: policy, value: total = "0" } = capacity;
  if (!policy) return;
  const at = `${field}.requestPolicy`;
  const { validValues = [], validRange } = policy;
  const preset = policy.default ?? undefined;
  if (!shared) yield forbidden(at, "allowMultipleAllocations must be true");
  else if (validValues.length > 0 && validRange) {
    const detail = `exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`;
    yield forbidden(at, detail);
  } else if (validValues.length > 0) {
    if (preset === undefined) yield required(`${at}.default`, "required when validValues is defined");
    else yield* validValueProblems(`${at}.validValues`, validValues, preset, total);
  } else if (validRange) {
    if (preset === undefined) yield required(`${at}.default`, "required when validRange is defined");
    else yield* rangeProblems(`${at}.validRange`, validRange, preset, total);
  }
}

function* validValueProblems(
  field: string,
  values: readonly Quantity[],
  preset: Quantity,
  total: Quantity,
): Problems {
  for (const [index, value] of values.entries()) {
    if (index > 0 && compareQuantities(values[index - 1]!, value) > 0)
      yield invalid(`${field}[${index}]`, value, "values must be sorted in ascending order");
  }
  yield* eachOfFew(field, values, mostItems.validValues, function* (at, value) {
    if (compareQuantities(value, total) <= 0) return;
    yield invalid(at, value, `option is larger than capacity value: ${total}`);
  });
  if (values.length <= mostItems.validValues) {
    yield* duplicates(
      field,
      values.map((value) => String(quantityToInteger(value))),
    );
  }
  if (
    values.length > mostItems.validValues ||
    !values.some((value) => compareQuantities(value, preset) === 0)
  ) {
    yield invalid(field, preset, "default value is not valid according to the requestPolicy");
  }
}

function* rangeProblems(
  field: string,
  { min: least, max, step }: Sent<v1.CapacityRequestPolicyRange>,
  preset: Quantity,
  total: Quantity,
): Problems {
  const min = least ?? undefined;
  if (min === undefined) return yield required(`${field}.min`, "required when validRange is defined");
  const exceeds = (a: Quantity, b: Quantity) => compareQuantities(a, b) > 0;
  if (exceeds(min, total)) yield invalid(`${field}.min`, min, `min is larger than capacity value: ${total}`);
  if (exceeds(min, preset)) yield invalid(`${field}.min`, preset, `default is less than min: ${min}`);
  if (max !== undefined) {
    if (exceeds(min, max)) yield invalid(`${field}.max`, min, `min is larger than max: ${max}`);
    if (exceeds(max, total))
      yield invalid(`${field}.max`, max, `max is larger than capacity value: ${total}`);
    if (exceeds(preset, max)) yield invalid(`${field}.max`, preset, `default is more than max: ${max}`);
  }
  if (step === undefined) return;
  if (servesSince("1.37") && !exceeds(step, "0"))
    return yield invalid(`${field}.step`, step, "must be greater than zero");
  const next = addQuantities(min, step);
  if (exceeds(next, total))
    yield invalid(`${field}.step`, step, `one step ${next} is larger than capacity value: ${total}`);
  for (const value of max === undefined ? [preset] : [preset, max]) {
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

/** Validates the taint of a device. */
export function* taintProblems(
  field: string,
  { key = "", value = "", effect }: Sent<v1.DeviceTaint>,
): Problems {
  yield* refused(`${field}.key`, key, checkQualifiedName(key));
  if (value !== "") yield* refused(`${field}.value`, value, checkLabelValue(value));
  yield* choice(`${field}.effect`, effect, "resource/v1.DeviceTaint");
}

/** Validates counters, and the name of their set. */
function* counterProblems(field: string, nameField: string, set: Sent<v1.CounterSet>): Problems {
  const { name = "", counters = {} } = set;
  if (name === "") yield required(`${field}.${nameField}`);
  else yield* refused(`${field}.${nameField}`, name, checkLabel(name));
  const keys = Object.keys(counters ?? {});
  if (keys.length === 0) yield required(`${field}.counters`);
  if (keys.length > mostItems.counters)
    return yield tooMany(`${field}.counters`, keys.length, mostItems.counters);
  for (const key of keys) yield* refused(`${field}.counters`, key, checkLabel(key));
}

const perDeviceRule = "`perDeviceNodeSelection` is set to true in the ResourceSlice spec";

function* nodeChoiceProblems(field: string, device: SentDevice, isPlacedPerDevice: boolean): Problems {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!isPlacedPerDevice) {
    if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return;
    return yield invalid(
      field,
      null,
      `\`nodeName\`, \`nodeSelector\` and \`allNodes\` can only be set if ${perDeviceRule}`,
    );
  }
  if (nodeName === "") yield invalid(`${field}.nodeName`, "", "must not be empty");
  else if (nodeName !== undefined) yield* refused(`${field}.nodeName`, nodeName, checkSubdomain(nodeName));
  if (allNodes === false) yield invalid(`${field}.allNodes`, false, "must be either unset or set to true");
  const choices = Object.entries({ nodeName, nodeSelector, allNodes }).filter(([, value]) => Boolean(value));
  const rule = `exactly one of \`nodeName\`, \`nodeSelector\`, or \`allNodes\` is required when ${perDeviceRule}`;
  if (choices.length === 0) yield required(field, rule);
  else if (choices.length > 1) {
    yield invalid(field, `{${choices.map(([name]) => `\`${name}\``).join(", ")}}`, rule);
  }
}

/** A device that waits for conditions also says which conditions end the wait in failure. */
export function* bindingConditionProblems(
  field: string,
  device: Pick<SentDevice, "bindingConditions" | "bindingFailureConditions">,
): Problems {
  const { bindingConditions = [], bindingFailureConditions = [] } = device;
  for (const [name, list] of Object.entries({ bindingConditions, bindingFailureConditions })) {
    yield* eachOfFew(`${field}.${name}`, list, mostItems.conditions, (at, condition) =>
      refused(at, condition, checkQualifiedName(condition)),
    );
  }
  for (const [name, list] of Object.entries({ bindingConditions, bindingFailureConditions })) {
    for (const [at, condition, index] of itemsOf(`${field}.${name}`, list)) {
      if (list.indexOf(condition) < index) yield duplicate(at, condition);
      if (list === bindingFailureConditions && bindingConditions.includes(condition))
        yield invalid(at, condition, "bindingFailureConditions must not overlap with bindingConditions");
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
