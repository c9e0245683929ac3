import type { FieldName, Random } from "@tsbuilder/apimachinery/sample";
import { applyChange, changesAt } from "./changes.ts";
import { type CRD, type UserObject, checkedKind, drawObject } from "./draw-object.ts";
import type { OperationsOptions } from "./operations-for.ts";
import { isWithin, type Place, placesOf, withValue } from "./places.ts";

/** A field for which no valid change was found. */
export interface UnchangedField {
  readonly field: FieldName;
  /** `immutable`: other values are valid in a new object only. */
  readonly why: "immutable" | "no valid change found";
}

/** The number of times that the changes of a place are drawn before it counts as unchanged. */
const drawsOfPlace = 4;

/**
 * Returns the fields of a CRD that operations never change, neither themselves nor any field below them. Returns undefined
 * if no valid object was found.
 */
export function unchangedFields(
  crd: CRD,
  random: Random,
  { values = {}, names = ["web"], objects = 8 }: OperationsOptions = {},
): UnchangedField[] | undefined {
  const kind = checkedKind(crd);
  const drawing = { random, values, optional: 0.8 };
  const metadata = { name: names[0]!, ...(kind.isNamespaced && { namespace: "default" }) };
  const changed = new Set<FieldName>();
  const unchanged = new Map<FieldName, UnchangedField["why"]>();
  let isFound = false;
  for (let count = 0; count < objects; count++) {
    const object = drawObject(kind, metadata, drawing);
    if (!object) continue;
    isFound = true;
    for (const place of placesOf(object, kind.schema))
      for (let draw = 0; draw < drawsOfPlace && !changed.has(place.field); draw++) tryPlace(object, place);
  }
  if (!isFound) return undefined;
  const isChanged = (field: FieldName): boolean => [...changed].some((other) => isWithin(other, field));
  return [...unchanged].flatMap(([field, why]) => (isChanged(field) ? [] : [{ field, why }]));

  function tryPlace(object: UserObject, place: Place): void {
    const changes = changesAt(place, drawing);
    if (changes.some((change) => applyChange(kind, object, change, drawing))) {
      changed.add(place.field);
      return;
    }
    const isImmutable = changes.some(
      ({ value }) => kind.errors(withValue(object, place.path, value)).length === 0,
    );
    if (isImmutable) unchanged.set(place.field, "immutable");
    else if (!unchanged.has(place.field)) unchanged.set(place.field, "no valid change found");
  }
}
