import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { LeftOut, State } from "../contract/index.ts";
import { normalise } from "./normalise.ts";

/** One field, or one object, in which two states differ. */
export interface Difference {
  readonly object: string;
  /** The object of one of the states, as it is compared. */
  readonly of: KubernetesObject;
  /** Undefined if only one of the states has the object. */
  readonly field: string | undefined;
  readonly here: unknown;
  readonly there: unknown;
}

/** What differs between the outcomes of two runs, but for what is left out of either. */
export function differencesOf(here: State, there: State, leftOut?: LeftOut): Difference[] {
  const [left, right] = [normalise(here.objects, leftOut), normalise(there.objects, leftOut)];
  return [...new Set([...left.keys(), ...right.keys()])].toSorted().flatMap((object) => {
    const [mine, other] = [left.get(object), right.get(object)];
    const named = { object, of: (mine ?? other) as KubernetesObject };
    if (mine === undefined || other === undefined)
      return [{ ...named, field: undefined, here: mine, there: other }];
    return fieldsOf(mine, other, "").map((difference) => ({ ...named, ...difference }));
  });
}

/** The name of a difference, whatever the values are. */
export function nameOf({ object, field = "" }: Pick<Difference, "object" | "field">): string {
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

function fieldsOf(
  here: unknown,
  there: unknown,
  field: string,
): Pick<Difference, "field" | "here" | "there">[] {
  if (isEqual(here, there)) return [];
  if (!isObject(here) || !isObject(there)) return [{ field, here, there }];
  return [...new Set([...Object.keys(here), ...Object.keys(there)])].flatMap((name) =>
    fieldsOf(here[name], there[name], field === "" ? name : `${field}.${name}`),
  );
}
