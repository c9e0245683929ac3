// The actions of users, drawn from a CRD. Begin here, where the steps of one run are planned. `draw-object.ts` makes valid objects,
// `changes.ts` changes them.

import { type JSONSchema, itemsOf, valuesOf } from "@tsbuilder/apimachinery/schema";
import type { Ref, Step } from "../contract/index.ts";
import { Random } from "../random.ts";
import { type CRD, type CheckedKind, type UserObject, checkedKind, drawObject } from "./draw-object.ts";
import type { Drawing, FieldName } from "./draw-value.ts";
import { changeOf, wrongChangeOf } from "./changes.ts";

/** Options for drawing operations. */
export interface OperationsOptions {
  /** The number of steps. Default: about 8. */
  readonly steps?: number;
  /** The most objects that exist at once. Default: 3. */
  readonly objects?: number;
  /** Names of objects. Default: short and long names, and some that begin alike. */
  readonly names?: readonly string[];
  /** Default: `default` and `other`. */
  readonly namespaces?: readonly string[];
  /** Values of fields whose meaning the schema doesn't say: `{ "spec.ports[].name": ["http", "https"] }`. */
  readonly values?: Readonly<Record<string, readonly unknown[]>>;
  /** Optional fields that are always set, because their default depends on the past: `["spec.primary"]`. */
  readonly always?: readonly string[];
  /** Also set values that the schema rejects, or that mean nothing. Default: true. */
  readonly wrong?: boolean;
}

/**
 * Names of objects: short, beginning alike, with digits, and as long as the value of a label may be. An operator that
 * appends a suffix to the long name must shorten it, or the API server rejects the result.
 */
const objectNames: readonly string[] = [
  "web",
  "web-1",
  "web-10",
  "a",
  "db",
  `web-${"long-".repeat(11)}name`,
  "b-2",
];

/**
 * Draws the steps of users from a CRD's schema and rules: they create objects, make one valid change after the other, undo
 * changes, set a wrong value and correct it, and delete objects and create them again.
 */
export function operationsFor(crd: CRD, options: OperationsOptions = {}): (random: Random) => PlannedStep[] {
  const checked = checkedKind(crd);
  const kind = { ...checked, schema: (options.always ?? []).reduce(requireField, checked.schema) };
  const names = admittedNames(kind, options.names ?? objectNames);
  return (random) => new Plan(kind, { ...options, names }, random).steps();
}

/** The least length to which names are cut. */
const leastNameLength = 8;

/** Returns the names that a kind admits. Long ones are cut to the length that its rules admit. */
function admittedNames(kind: CheckedKind, names: readonly string[]): string[] {
  const drawing = { random: new Random(1), values: {}, optional: 0 };
  const [first] = names.filter((name) => name.length < leastNameLength);
  const object = drawObject(kind, { name: first ?? "a" }, drawing);
  if (!object) return [...names];
  const admitted = names.flatMap((name) => {
    for (let length = name.length; length >= Math.min(leastNameLength, name.length); length--) {
      const cut = name.slice(0, length).replace(/-+$/, "");
      if (kind.errors({ ...object, metadata: { ...object.metadata, name: cut } }).length === 0) return [cut];
    }
    return [];
  });
  return [...new Set(admitted)];
}

/** Returns a schema that requires a field as well, wherever its parent is present. */
function requireField(schema: JSONSchema, field: FieldName): JSONSchema {
  return requireBelow(schema, field.split(/\.|(?=\[\])/), field);
}

function requireBelow(schema: JSONSchema, [name, ...inner]: readonly string[], field: FieldName): JSONSchema {
  if (name === undefined) return schema;
  const requireIn = (one: JSONSchema | undefined): JSONSchema => {
    if (!one) throw new TypeError(`"always" names ${field}, which the schema doesn't have`);
    return requireBelow(one, inner, field);
  };
  if (name !== "[]") {
    const { properties = {}, required = [] } = schema;
    const changed = { ...schema, properties: { ...properties, [name]: requireIn(properties[name]) } };
    return inner.length > 0 ? changed : { ...changed, required: [...required, name] };
  }
  const items = itemsOf(schema);
  return items
    ? { ...schema, items: requireIn(items) }
    : { ...schema, additionalProperties: requireIn(valuesOf(schema)) };
}

/** An object that exists, with its earlier contents. */
interface ExistingObject {
  readonly object: UserObject;
  readonly earlier: readonly UserObject[];
}

type PlanOptions = OperationsOptions & Required<Pick<OperationsOptions, "names">>;

/** Plans the steps of users, one after the other: it knows the objects that exist after each. */
class Plan {
  readonly #kind: CheckedKind;
  readonly #options: PlanOptions;
  readonly #random: Random;
  readonly #drawing: Drawing;
  readonly #metadata: readonly UserObject["metadata"][];
  readonly #objects = new Map<UserObject["metadata"], ExistingObject>();
  readonly #steps: PlannedStep[] = [];

  constructor(kind: CheckedKind, options: PlanOptions, random: Random) {
    this.#kind = kind;
    this.#options = options;
    this.#random = random;
    this.#drawing = { random, values: options.values ?? {}, optional: 0.5 };
    const names = shuffled(options.names, random);
    const namespaces: readonly (string | undefined)[] = kind.isNamespaced
      ? shuffled(options.namespaces ?? ["default", "other"], random)
      : [undefined];
    const among = (name: string): UserObject["metadata"][] =>
      shuffled(namespaces, random).map((namespace) =>
        namespace === undefined ? { name } : { name, namespace },
      );
    const grouped = names.flatMap(among);
    // Objects of one name in several namespaces follow one another, or else objects of one namespace do.
    this.#metadata = random.chance(0.5)
      ? grouped
      : grouped.toSorted((a, b) => namespaces.indexOf(a.namespace) - namespaces.indexOf(b.namespace));
  }

  steps(): PlannedStep[] {
    const { steps = this.#random.integer(4, 12) } = this.#options;
    for (let tries = 0; this.#steps.length < steps && tries < steps * 3; tries++) this.#step();
    if (this.#steps.length === 0)
      throw new TypeError(
        `no valid ${this.#kind.kind} was found that users could create: say in "values" what its fields may hold`,
      );
    return this.#steps;
  }

  #step(): void {
    const random = this.#random;
    const existing = [...this.#objects];
    const [chosen] = existing.length > 0 ? [random.pick(existing)] : [];
    const { objects = 3, wrong = true } = this.#options;
    if (!chosen || (existing.length < objects && random.chance(0.2))) return this.#create();
    const [metadata, { object, earlier }] = chosen;
    const choice = random.next();
    if (choice < 0.12) return this.#delete(metadata, object);
    if (choice < 0.27 && earlier.length > 0) return this.#changeBack(metadata, object, random.pick(earlier));
    if (choice < 0.42 && wrong) return this.#setWrongValue(metadata, object);
    const changed = changeOf(this.#kind, object, this.#drawing);
    if (changed) this.#apply(metadata, changed.object, changed.what);
  }

  /** Creates an object. A name without a valid object is passed over. */
  #create(metadata = this.#metadata.find((unused) => !this.#objects.has(unused))): void {
    if (!metadata) return;
    const object = drawObject(this.#kind, metadata, this.#drawing);
    if (object) return this.#apply(metadata, object, `creates ${metadata.name}`);
  }

  #delete(metadata: UserObject["metadata"], { apiVersion, kind }: UserObject): void {
    const target: Ref = { apiVersion, kind, ...metadata };
    this.#steps.push({ do: "delete", target, why: `deletes ${metadata.name}` });
    this.#objects.delete(metadata);
    // Often the name is used again at once, and otherwise it may be used later.
    if (this.#random.chance(0.6)) this.#create(metadata);
  }

  #changeBack(metadata: UserObject["metadata"], object: UserObject, earlier: UserObject): void {
    if (this.#kind.errors(earlier, object).length > 0) return;
    this.#apply(metadata, earlier, `changes ${metadata.name} back`);
  }

  #setWrongValue(metadata: UserObject["metadata"], object: UserObject): void {
    const wrong = wrongChangeOf(this.#kind, object, this.#drawing);
    if (!wrong) return;
    const { what: why, isRejected } = wrong;
    if (isRejected) {
      this.#steps.push({ do: "apply", object: wrong.object, why, expect: "rejected" });
      return;
    }
    // Without a valid way back, the wrong value would stay.
    if (this.#kind.errors(object, wrong.object).length > 0) return;
    this.#steps.push({ do: "apply", object: wrong.object, why, strange: true });
    this.#steps.push({ do: "apply", object, why: `corrects ${metadata.name}` });
  }

  #apply(metadata: UserObject["metadata"], object: UserObject, why: string): void {
    const existing = this.#objects.get(metadata);
    const earlier = existing ? [...existing.earlier, existing.object] : [];
    this.#objects.set(metadata, { object, earlier });
    this.#steps.push({ do: "apply", object, why });
  }
}

/** A step of a plan, with the expected outcome. */
export type PlannedStep = Extract<Step, { do: "apply" | "delete" }> & {
  /** The step in words: `sets spec.replicas to its maximum, 10`. */
  readonly why: string;
  /** The API server rejects the step, because of the schema or a rule. */
  readonly expect?: "rejected";
  /** The step is admitted, but means nothing to a typical operator. A later step corrects it. */
  readonly strange?: boolean;
};

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const keyed = items.map((item) => ({ item, at: random.next() }));
  return keyed.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
