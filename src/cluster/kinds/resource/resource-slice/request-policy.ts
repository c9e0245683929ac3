import { duplicate, forbidden, invalid, required, tooMany } from "@tsbuilder/apimachinery/errors";
import type { CapacityRequestPolicyRange, DeviceCapacity } from "@tsbuilder/apimachinery/k8s/resource/v1";
import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { addQuantities, compareQuantities, quantityToInteger } from "@tsbuilder/apimachinery/quantity";
import type { Sent } from "../../../contract/sent.ts";
import type { Problems } from "../../checks/problems.ts";

const mostValues = 10;

/** Validates how much of a device's capacity one request may get; only devices with several users share it. */
export function* capacityProblems(field: string, capacity: Sent<DeviceCapacity>, shared: boolean): Problems {
  const { requestPolicy: policy, value: most = "0" } = capacity;
  if (!policy) return;
  const at = `${field}.requestPolicy`;
  const { default: given, validValues = [], validRange } = policy;
  const usual = given ?? undefined;
  if (!shared) yield forbidden(at, "allowMultipleAllocations must be true");
  else if (validValues.length > 0 && validRange) {
    yield forbidden(
      at,
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    );
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
  if (values.length > mostValues) yield tooMany(field, values.length, mostValues);
  else {
    for (const [index, value] of values.entries()) {
      if (compareQuantities(value, most) > 0) {
        yield invalid(`${field}[${index}]`, value, `option is larger than capacity value: ${most}`);
      }
    }
    const whole = values.map((value) => String(quantityToInteger(value)));
    for (const [index, value] of whole.entries()) {
      if (whole.indexOf(value) < index) yield duplicate(`${field}[${index}]`, value);
    }
  }
  if (values.length > mostValues || !values.some((value) => compareQuantities(value, usual) === 0)) {
    yield invalid(field, usual, "default value is not valid according to the requestPolicy");
  }
}

function* rangeProblems(
  field: string,
  { min: least, max, step }: Sent<CapacityRequestPolicyRange>,
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
