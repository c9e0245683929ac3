import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { State } from "../contract/index.ts";
import { normalise } from "./normalise.ts";

/** One field, or one object, in which two states differ. */
export interface Difference {
  readonly object: string;
  /** Undefined if only one of the states has the object. */
  readonly field: string | undefined;
  readonly here: unknown;
  readonly there: unknown;
}

/** What differs between the outcomes of two runs, but for what is left out of either. */
export function differencesOf(
  here: State,
  there: State,
  leftOut?: ReadonlySet<KubernetesObject>,
): Difference[] {
  const [left, right] = [normalise(here.objects, leftOut), normalise(there.objects, leftOut)];
  return [...new Set([...left.keys(), ...right.keys()])].toSorted().flatMap((object) => {
    const [mine, other] = [left.get(object), right.get(object)];
    if (mine === undefined || other === undefined)
      return [{ object, field: undefined, here: mine, there: other }];
    return fieldsOf(object, mine, other, "");
  });
}

/** The name of a difference, whatever the values are. */
export function nameOf({ object, field = "" }: Difference): string {
  return `${object} ${field}`;
}

export function differenceText({ object, field, here, there }: Difference): string {
  if (field === undefined)
    return here === undefined ? `${object} is missing` : `${object} should not be there`;
  return `${object}: ${field} is ${textOf(here)}, not ${textOf(there)}`;
}

function textOf(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}

function fieldsOf(object: string, here: unknown, there: unknown, field: string): Difference[] {
  if (isEqual(here, there)) return [];
  if (!isObject(here) || !isObject(there)) return [{ object, field, here, there }];
  return [...new Set([...Object.keys(here), ...Object.keys(there)])].flatMap((name) =>
    fieldsOf(object, here[name], there[name], field === "" ? name : `${field}.${name}`),
  );
}
