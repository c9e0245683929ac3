import {
  duplicate,
  invalid,
  invalidStruct,
  required,
  tooLong,
  tooMany,
} from "@tsbuilder/apimachinery/errors";
import type {
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceTaint,
} from "@tsbuilder/apimachinery/k8s/resource/v1";
import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "@tsbuilder/apimachinery/naming";
import type { Sent } from "../../../contract/sent.ts";
import { choice, type Problems, refused } from "../../checks/problems.ts";
import { driverName } from "../../storage/class-rules.ts";
import { capacityProblems } from "./request-policy.ts";

export type SentDevice = Sent<Device>;

const mostFacts = 32;
const mostTaints = 16;
const mostConditions = 4;

/** Validates a device of a slice; `placed` says whether each device names its own nodes. */
export function* deviceProblems(field: string, device: SentDevice, placed: boolean): Problems {
  const { name = "", attributes = {}, capacity = {}, taints = [], consumesCounters = [] } = device;
  yield* refused(`${field}.name`, name, checkLabel(name));
  const facts = Object.keys(attributes).length + Object.keys(capacity).length;
  if (facts > mostFacts) {
    yield invalid(field, facts, `the total number of attributes and capacities must not exceed ${mostFacts}`);
  }
  for (const [key, attribute] of Object.entries(attributes)) {
    yield* factName(`${field}.attributes`, key);
    yield* attributeProblems(`${field}.attributes[${key}]`, attribute);
  }
  for (const [key, each] of Object.entries(capacity)) {
    yield* factName(`${field}.capacity`, key);
    yield* capacityProblems(`${field}.capacity[${key}]`, each, device.allowMultipleAllocations === true);
  }
  if (taints.length > mostTaints) yield tooMany(`${field}.taints`, taints.length, mostTaints);
  else
    for (const [index, taint] of taints.entries()) yield* taintProblems(`${field}.taints[${index}]`, taint);
  for (const [index, { counterSet = "", counters }] of consumesCounters.entries()) {
    const at = `${field}.consumesCounters[${index}]`;
    yield* counterProblems(at, "counterSet", { name: counterSet, ...(counters && { counters }) });
  }
  const sets = consumesCounters.map(({ counterSet = "" }) => counterSet);
  for (const [index, set] of sets.entries()) {
    if (sets.indexOf(set) < index) yield duplicate(`${field}.consumesCounters[${index}]`, set);
  }
  yield* placeProblems(field, device, placed);
  yield* bindingProblems(field, device);
}

/** Validates counters, and the name of their set. */
export function* counterProblems(field: string, nameField: string, set: Sent<CounterSet>): Problems {
  const { name = "", counters = {} } = set;
  if (name === "") yield required(`${field}.${nameField}`);
  else yield* refused(`${field}.${nameField}`, name, checkLabel(name));
  const keys = Object.keys(counters ?? {});
  if (keys.length === 0) yield required(`${field}.counters`);
  for (const key of keys) yield* refused(`${field}.counters`, key, checkLabel(key));
}

const longestName = 32;
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
  if (name.length > longestName) yield tooLong(field, longestName);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) yield invalid(field, name, cIdentifier);
}

const longestValue = 64;
const oneValue = "exactly one value must be specified";
const part = String.raw`(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
const semanticVersion = new RegExp(
  String.raw`^(?:(?:0|[1-9]\d*)\.){2}(?:0|[1-9]\d*)(?:-${part}(?:\.${part})*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$`,
);

function* attributeProblems(field: string, attribute: Sent<DeviceAttribute>): Problems {
  const { bool, int, string, version } = attribute;
  if (string !== undefined && string.length > longestValue) yield tooLong(`${field}.string`, longestValue);
  if (version !== undefined) {
    if (!semanticVersion.test(version)) {
      yield invalid(`${field}.version`, version, "must be a string compatible with semver.org spec 2.0.0");
    }
    if (version.length > longestValue) yield tooLong(`${field}.version`, longestValue);
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

const effects = ["NoExecute", "NoSchedule", "None"];

function* taintProblems(field: string, { key = "", value = "", effect }: Sent<DeviceTaint>): Problems {
  yield* refused(`${field}.key`, key, checkQualifiedName(key));
  if (value !== "") yield* refused(`${field}.value`, value, checkLabelValue(value));
  yield* choice(`${field}.effect`, effect, effects);
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
    if (list.length > mostConditions) yield tooMany(`${field}.${name}`, list.length, mostConditions);
    else {
      for (const [index, each] of list.entries())
        yield* refused(`${field}.${name}[${index}]`, each, checkQualifiedName(each));
    }
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
