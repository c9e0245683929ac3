import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";
import { isObject, memberOf } from "@tsbuilder/apimachinery/json";
import { compileValidator } from "@tsbuilder/apimachinery/cel";
import type { CRDSpec } from "@tsbuilder/apimachinery/crd";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { NewObjectCheck } from "@tsbuilder/cluster";
import { type Drawing, type Random, drawValue } from "@tsbuilder/apimachinery/sample";
import { knownTypesCheck } from "./kubernetes-types.ts";
import { type Path, type Place, changingPlaces, pathText, withValue } from "./places.ts";

/** The number of objects that are drawn until one is valid. */
const mostDraws = 30;

/** Draws a valid object. Returns undefined if none was found. */
export function drawObject(
  kind: CheckedKind,
  metadata: UserObject["metadata"],
  drawing: Drawing,
): UserObject | undefined {
  const { apiVersion, kind: name, schema } = kind;
  for (let draw = 0; draw < mostDraws; draw++) {
    // Objects with few fields, or with many, satisfy some rules that hardly any object satisfies by chance.
    const optional = draw % 3 === 0 ? drawing.optional : drawing.random.pick([0, 0.3, 0.9]);
    const content = drawValue(withoutServerFields(schema), "", { ...drawing, optional }) as object;
    const drawn = repair(kind, { apiVersion, kind: name, metadata, ...content }, drawing);
    if (drawn) return drawn;
  }
  return undefined;
}

/** Returns a schema without the fields that servers write. */
function withoutServerFields(schema: CheckedKind["schema"]): CheckedKind["schema"] {
  const { apiVersion: _, kind: __, metadata: ___, status: ____, ...properties } = schema.properties ?? {};
  return { ...schema, properties, required: (schema.required ?? []).filter((name) => name !== "status") };
}

/** The number of repairs of each object. */
const mostRepairs = 20;

/** The change that a repair must keep. */
interface KeptChange {
  readonly path: Path;
  readonly old: UserObject;
}

/** Draws other values where an object is invalid, ever further out, until it is valid. Returns undefined if this doesn't help. */
export function repair(
  kind: CheckedKind,
  broken: UserObject,
  drawing: Drawing,
  keptChange?: KeptChange,
): UserObject | undefined {
  let object = broken;
  for (let round = 0; round < mostRepairs; round++) {
    const [error] = allErrors(object);
    if (!error) return object;
    const place = placeToRepair(kind, object, error, { drawing, keptChange, round });
    if (!place) return undefined;
    const { random } = drawing;
    const isRemovable = place.isField && !place.isRequired && place.value !== undefined;
    const isRemoved = isRemovable && (isForbidden(error) || random.chance(0.5));
    object = withValue(object, place.path, isRemoved ? undefined : otherValue(place, error, drawing));
  }
  return allErrors(object).length === 0 ? object : undefined;

  function allErrors(one: UserObject): readonly FieldError[] {
    const errors = kind.errors(one, keptChange?.old);
    return errors.length > 0 ? errors : kind.usageErrors(one);
  }
}

/** Returns whether a value must be absent, such as the second of several of which there may be one. */
function isForbidden({ reason }: FieldError): boolean {
  return reason === "FieldValueForbidden";
}

/** Draws another value for a place. Some errors say which values are supported. */
function otherValue(
  { path, schema, field }: Place,
  { reason, detail, ...error }: FieldError,
  drawing: Drawing,
): unknown {
  const supported = [...detail.matchAll(/"([^"]+)"/g)].map(([, text]) => text!);
  const isNamed =
    reason === "FieldValueNotSupported" && error.field === pathText(path) && supported.length > 0;
  return isNamed ? drawing.random.pick(supported) : drawValue(schema, field, drawing);
}

function placeToRepair(
  { schema }: CheckedKind,
  object: UserObject,
  error: FieldError,
  { drawing, keptChange, round }: { drawing: Drawing; keptChange: KeptChange | undefined; round: number },
): Place | undefined {
  const path = errorPath(error.field, object);
  const places = changingPlaces(object, schema, drawing.values).filter(
    (place) => !keptChange || mayMend(place, error, path, keptChange.path),
  );
  // Later rounds look further out.
  const scope = path.slice(0, Math.max(0, path.length - Math.floor(round / 4)));
  const inside = places.filter((place) => startsWith(place.path, scope));
  const exact = inside.find((place) => place.path.length === scope.length);
  if (exact && (isForbidden(error) || drawing.random.chance(0.5))) return exact;
  const named = inside.filter((place) => isMentionedIn(error, place));
  return pickOne(named, drawing.random) ?? pickOne(inside, drawing.random) ?? pickOne(places, drawing.random);
}

/**
 * Returns whether another value at a place may mend an error without undoing a change. Nothing around a new value makes valid what is
 * wrong within it, unless the error names what doesn't go with it.
 */
function mayMend(place: Place, error: FieldError, path: Path, changed: Path): boolean {
  const isAround = !overlaps(place.path, changed);
  if (!startsWith(path, changed)) return isAround;
  if (!isAround)
    return place.path.length > changed.length && !(isForbidden(error) && path.length === changed.length);
  return startsWith(place.path, changed.slice(0, -1)) && isMentionedIn(error, place);
}

/** A CRD. Its metadata isn't needed to draw operations. */
export interface CRD {
  readonly spec: CRDSpec;
}

/** A kind, with the API server's validation of its objects. */
export interface CheckedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly schema: JSONSchema;
  /** Validates an object, or the update of another one. */
  readonly errors: (object: UserObject, old?: UserObject) => FieldError[];
  /** Finds what the API server admits in an object, and rejects where operators copy it to: in the spec of a pod, say. */
  readonly usageErrors: (object: UserObject) => FieldError[];
}

/** Returns the kind that a CRD defines, in its storage version. With `check`, values of Kubernetes' own types are checked, too. */
export function checkedKind({ spec }: CRD, check?: NewObjectCheck): CheckedKind {
  const { group, scope, names, versions } = spec;
  const version = versions.find(({ storage }) => storage) ?? versions[0]!;
  const schema = version.schema?.openAPIV3Schema ?? { type: "object" };
  const validator = compileValidator(schema);
  return {
    apiVersion: `${group}/${version.name}`,
    kind: names.kind,
    isNamespaced: scope === "Namespaced",
    schema,
    errors(object, old) {
      const before = old === undefined ? {} : { old: validator.applyDefaults(old) };
      return [...validator.validate(validator.applyDefaults(object), before), ...scaleErrors(object)];
    },
    usageErrors: check ? knownTypesCheck(schema, check) : () => [],
  };

  /** Rejects a negative number of replicas, as the API server does for kinds with a scale subresource. */
  function scaleErrors(object: UserObject): FieldError[] {
    const path = version.subresources?.scale?.specReplicasPath.replace(/^\./, "") ?? "";
    const replicas = path.split(".").reduce<unknown>((value, name) => isObject(value) && value[name], object);
    return Number(replicas) < 0 ? [invalid(path, replicas, "should be a non-negative integer")] : [];
  }
}

/** An object as a user writes it: without status, and without metadata that the server sets. */
export interface UserObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

function pickOne(places: readonly Place[], random: Random): Place | undefined {
  return places.length > 0 ? random.pick(places) : undefined;
}

/** Returns whether the message of an error names a field: rules often name the fields that they compare. */
function isMentionedIn({ detail }: FieldError, { path }: Place): boolean {
  const name = path.at(-1);
  return typeof name === "string" && detail.split(/[^\w-]+/).includes(name);
}

/** Returns whether one of two places contains the other. */
function overlaps(first: Path, second: Path): boolean {
  return startsWith(first, second) || startsWith(second, first);
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((step, at) => path[at] === step);
}

/** Returns the path of an error, as far as the object has it. The value at its last step may be absent. */
function errorPath(field: string, object: unknown): Path {
  const path: (string | number)[] = [];
  let current = object;
  for (const [, name, index] of field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    if (Array.isArray(current)) {
      path.push(Number(index));
      current = current[Number(index)] as unknown;
    } else if (isObject(current)) {
      const step = name ?? index!;
      path.push(step);
      current = memberOf(current, step);
    } else break;
  }
  return path;
}
