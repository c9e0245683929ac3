// The actions of users, drawn from a CRD. Begin here, where the steps of one run are planned. `draw-object.ts` makes valid objects,
// `changes.ts` changes them.

import { type JSONSchema, itemsOf, valuesOf } from "@tsbuilder/apimachinery/schema";
import type { NewObjectCheck } from "@tsbuilder/cluster";
import type { Ref, Step } from "../contract/index.ts";
import type { Drawing, FieldName, Random } from "@tsbuilder/apimachinery/sample";
import { type CRD, type CheckedKind, type UserObject, checkedKind, drawObject } from "./draw-object.ts";
import { type ChangedObject, type Goal, changeOf, changeOfField, isImage, wrongChangeOf } from "./changes.ts";
import { fieldsOf, goalsOf } from "./fields.ts";
import { type Placement, placementsOf } from "./names.ts";
import { noticeTime, type OtherObject, OtherObjectsInPlan } from "./other-objects.ts";
import { withoutSharedFields } from "./shared-resources.ts";

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
  /** Values of annotations that the operator reads: `{ "db.example.com/rotate": ["1", "2"] }`. */
  readonly annotations?: Readonly<Record<string, readonly string[]>>;
  /** Also set values that the schema rejects, or that mean nothing. Default: true. */
  readonly wrong?: boolean;
}

/**
 * Draws the steps of users from a CRD's schema and rules: they create objects, make one valid change after the other, undo
 * changes, set a wrong value and correct it, and delete objects and create them again. Every second plan is about one object:
 * such plans, if they are told their number, take turns in changing all fields in all ways.
 */
export function operationsFor(
  crd: CRD,
  options: OperationsOptions = {},
): (random: Random, plan?: number) => PlannedStep[] {
  return plansFor(crd, options);
}

/** What is known of a project besides its CRD. */
interface ProjectKnowledge {
  /** Other objects that the operator reads, and that users change and delete, too. */
  readonly others?: readonly OtherObject[];
  /** The namespace `other-web` exists beside those of the options. */
  readonly hasLongerNamespace?: boolean;
  /** Objects of the kind that users begin with. Default: they are drawn. */
  readonly samples?: readonly UserObject[];
  /** Checks values of Kubernetes' own types. Without it, the schema alone says what is valid. */
  readonly check?: NewObjectCheck;
}

/** Draws the steps of users of a project. */
export function plansFor(
  crd: CRD,
  options: OperationsOptions,
  { others = [], samples = [], hasLongerNamespace = false, check }: ProjectKnowledge = {},
): (random: Random, plan?: number) => PlannedStep[] {
  const checked = checkedKind(crd, check);
  const schema = (options.always ?? []).reduce(requireField, checked.schema);
  const kind = { ...checked, schema: withoutSharedFields(schema, options.values ?? {}) };
  const place = placementsOf(kind, { ...options, hasLongerNamespace });
  const fields = fieldsOf(kind.schema);
  return (random, plan = random.fork("plan").integer(0, 9999)) => {
    // Every second plan is about one object.
    const goals = plan % 2 === 1 ? goalsOf(fields, plan >> 1, random) : undefined;
    return new Plan(
      kind,
      { ...options, placements: place(random), fields, goals, others, samples },
      random,
    ).steps();
  };
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

interface PlanOptions extends OperationsOptions {
  readonly placements: readonly Placement[];
  readonly fields: readonly FieldName[];
  /**
   * The fields to change, in a plan about one object. It lives through all steps, so that what one of them leaves behind is
   * still there in the end.
   */
  readonly goals: readonly Goal[] | undefined;
  readonly others: readonly OtherObject[];
  readonly samples: readonly UserObject[];
}

/** The number of steps that are tried for a goal before it is given up. */
const triesOfGoal = 4;

/** The most milliseconds after which a user changes something else while a rollout is under way. */
const rolloutTime = 25_000;

/** Plans the steps of users, one after the other: it knows the objects that exist after each. */
class Plan {
  readonly #kind: CheckedKind;
  readonly #options: PlanOptions;
  readonly #random: Random;
  readonly #drawing: Drawing;
  readonly #objects = new Map<Placement, ExistingObject>();
  readonly #goals: { readonly goal: Goal; tries: number }[];
  readonly #others: OtherObjectsInPlan;
  readonly #steps: PlannedStep[] = [];

  constructor(kind: CheckedKind, options: PlanOptions, random: Random) {
    this.#kind = kind;
    this.#options = options;
    this.#random = random;
    this.#drawing = { random, values: options.values ?? {}, optional: 0.5 };
    this.#goals = (options.goals ?? []).map((goal) => ({ goal, tries: triesOfGoal }));
    this.#others = new OtherObjectsInPlan(options.others, random.fork("others"));
  }

  steps(): PlannedStep[] {
    const { steps = this.#random.integer(5, 12) } = this.#options;
    for (let tries = 0; this.#steps.length < steps && tries < steps * 3; tries++) this.#step();
    if (this.#steps.length === 0)
      throw new TypeError(
        `no valid ${this.#kind.kind} was found that users could create: say in "values" what its fields may hold`,
      );
    return [...this.#steps, ...this.#others.restore()];
  }

  #step(): void {
    const random = this.#random;
    const existing = [...this.#objects];
    const [chosen] = existing.length > 0 ? [random.pick(existing)] : [];
    const { wrong = true, goals, objects = 3 } = this.#options;
    const isAboutOne = goals !== undefined;
    const isRoom = existing.length < (isAboutOne ? 1 : objects);
    if (!chosen || (isRoom && random.chance(0.4 / existing.length))) return this.#create();
    const other = this.#others.step(existing.map(([, { object }]) => object));
    if (other) return void this.#steps.push(other);
    const [metadata, { object, earlier }] = chosen;
    if (isAboutOne && random.chance(0.5)) return this.#change(metadata, object);
    const choice = random.next();
    if (choice < 0.2 && !isAboutOne) return this.#delete(metadata, object);
    if (choice < 0.35 && earlier.length > 0)
      return this.#changeBack(metadata, object, random.chance(0.5) ? earlier.at(-1)! : random.pick(earlier));
    if (choice < 0.5 && wrong) return this.#setWrongValue(metadata, object);
    if (choice < (this.#options.annotations ? 0.65 : 0.55)) return this.#annotate(metadata, object);
    return this.#change(metadata, object);
  }

  /** Makes a change that is a goal of the plan, or any other; sometimes while the rollout of another image is under way. */
  #change(metadata: Placement, object: UserObject): void {
    const rollout = this.#random.chance(0.25) ? this.#changeImage(object) : undefined;
    if (rollout) this.#apply(metadata, rollout.object, rollout.what);
    const before = rollout?.object ?? object;
    const changed = this.#reachGoal(before) ?? changeOf(this.#kind, before, this.#drawing);
    if (!changed) return;
    const after = rollout && Math.round(this.#random.next() * rolloutTime);
    this.#apply(metadata, changed.object, changed.what, after);
  }

  #changeImage(object: UserObject): ChangedObject | undefined {
    const images = this.#options.fields.filter(isImage);
    if (images.length === 0) return undefined;
    return changeOfField(this.#kind, object, { field: this.#random.pick(images), turn: 0 }, this.#drawing);
  }

  /** Creates an object. A name without a valid object is passed over. */
  #create(metadata = this.#options.placements.find((unused) => !this.#objects.has(unused))): void {
    if (!metadata) return;
    // What is set can be changed at once.
    const optional = this.#options.goals ? 0.9 : 0.5;
    const object =
      this.#sampleNamed(metadata) ?? drawObject(this.#kind, metadata, { ...this.#drawing, optional });
    if (!object) return;
    const late = this.#others.comeLate(object);
    if (late) this.#steps.push(late);
    this.#apply(metadata, object, `creates ${metadata.name}`);
  }

  #sampleNamed(placement: Placement): UserObject | undefined {
    const { samples } = this.#options;
    if (samples.length === 0) return undefined;
    const { metadata, ...content } = this.#random.pick(samples);
    const { labels, annotations } = metadata;
    return {
      ...content,
      metadata: { ...placement, ...(labels && { labels }), ...(annotations && { annotations }) },
    };
  }

  #delete(metadata: Placement, object: UserObject): void {
    const { apiVersion, kind } = object;
    const target: Ref = { apiVersion, kind, ...metadata };
    const back = this.#others.restoreFor(object);
    this.#steps.push(...back, {
      do: "delete",
      target,
      why: `deletes ${metadata.name}`,
      ...(back.length > 0 && { after: noticeTime }),
    });
    this.#objects.delete(metadata);
    // Often the name is used again at once, and otherwise it may be used later.
    if (this.#random.chance(0.6)) this.#create(metadata);
  }

  #changeBack(metadata: Placement, object: UserObject, earlier: UserObject): void {
    if (this.#kind.errors(earlier, object).length > 0) return;
    this.#apply(metadata, earlier, `changes ${metadata.name} back`);
  }

  #setWrongValue(metadata: Placement, object: UserObject): void {
    const wrong = wrongChangeOf(this.#kind, object, this.#drawing);
    if (!wrong) return;
    const { what: why, isRejected, pause, patience } = wrong;
    if (isRejected) {
      // No operator sees it.
      if (this.#random.chance(0.3))
        this.#steps.push({ do: "apply", object: wrong.object, why, expect: "rejected" });
      return;
    }
    // Without a valid way back, the wrong value would stay.
    if (this.#kind.errors(object, wrong.object).length > 0) return;
    // It may take long, and what else is strange leads to errors.
    const strange = { do: "apply", object: wrong.object, why, strange: true, ...pause } as const;
    this.#steps.push(...this.#others.restore(), strange);
    const after = Math.round(this.#random.next() * this.#random.pick([patience, patience, 50]));
    this.#steps.push({ do: "apply", object, why: `corrects ${metadata.name}`, after });
  }

  /** Changes a label and an annotation, which an operator may copy or read, and which begin no new generation. */
  #annotate(metadata: Placement, object: UserObject): void {
    const { random } = this.#drawing;
    const { annotations: values = { "example.com/note": ["first", "second"] } } = this.#options;
    const [key, texts] = random.pick(Object.entries(values));
    const labels = { "example.com/team": random.pick(["red", "blue"]) };
    const text = random.pick(texts);
    const annotations = { ...object.metadata.annotations, [key]: text };
    const annotated = { ...object, metadata: { ...object.metadata, labels, annotations } };
    if (this.#kind.errors(annotated, object).length > 0) return;
    this.#apply(metadata, annotated, `labels ${metadata.name}, and annotates it with ${key}: ${text}`);
  }

  /** Changes the first of the plan's fields that are left, and sets it before, if it isn't set. */
  #reachGoal(object: UserObject): ChangedObject | undefined {
    for (;;) {
      const [first] = this.#goals;
      if (!first) return undefined;
      const reached =
        first.tries-- > 0 ? changeOfField(this.#kind, object, first.goal, this.#drawing) : undefined;
      if (!reached || reached.isChange) this.#goals.shift();
      if (reached) return reached;
    }
  }

  #apply(metadata: Placement, object: UserObject, why: string, after?: number): void {
    const existing = this.#objects.get(metadata);
    const earlier = existing ? [...existing.earlier, existing.object] : [];
    this.#objects.set(metadata, { object, earlier });
    const back = existing ? this.#others.restoreFor(existing.object, object) : [];
    this.#steps.push(...back, {
      do: "apply",
      object,
      why,
      ...(after !== undefined && { after }),
      ...(back.length > 0 && { after: noticeTime }),
    });
  }
}

/** A step of a plan, with the expected outcome. */
export type PlannedStep = Extract<Step, { do: "apply" | "delete" }> & {
  /** The step in words: `sets spec.replicas to its maximum, 10`. */
  readonly why: string;
  /** The API server rejects the step, because of the schema or a rule. */
  readonly expect?: "rejected";
  /** The step is admitted, but no typical operator can carry out what is asked afterwards. A later step corrects it. */
  readonly strange?: boolean;
};
