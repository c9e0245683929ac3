import type { JSONSchema, ValidationRule } from "../../schema/json-schema.ts";
import { itemsOf, memberSchema, valuesOf } from "../../schema/json-schema.ts";
import { type Adapter, adapterOf } from "../schema/adapt.ts";
import { type DeclType, declTypeOf, escapeName } from "../schema/decl-type.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { compileNodeRules, messageLimit, perCallLimit, runtimeBudget } from "./compile-rule.ts";
import { isObject, memberOf } from "../../json/index.ts";
import type { FieldError, FieldErrorReason } from "../../errors/index.ts";
import { duplicate, forbidden, invalid, joinPath, omitted, required } from "../../errors/index.ts";
import { indexListMap, isUnchanged } from "../../schema/is-unchanged.ts";
import { asEvalError } from "../eval/context.ts";
import { CelOptional, UnreadableOptional, type Value } from "../values/value.ts";
import { CostLimitError, EvalError, OutOfBudgetError, outOfBudget } from "../values/eval-error.ts";
import { quote } from "../../text/index.ts";
import { type CompiledSchema, type ValidateOptions, compileSchema } from "../../schema/compile-schema.ts";
import { splitWords } from "../../text/text.ts";

/**
 * Compiles the rules of a schema at all levels; returns undefined if there are none. `isResource`: the root is a whole
 * object with metadata.
 */
export function compileRules(schema: JSONSchema, isResource = true): CompiledRules | undefined {
  if (!hasRules(schema)) return undefined;
  const node = compileNode(schema, declTypeOf(schema, isResource, "object"), isResource);
  if (!node) return undefined;
  return {
    validate: (object, options = {}) => new RuleRun(options).run(node, object, options.old),
  };
}

/** Returns true if a schema has rules at any level. */
export function hasRules(schema: JSONSchema): boolean {
  if ((schema["x-kubernetes-validations"]?.length ?? 0) > 0) return true;
  const children = [itemsOf(schema), valuesOf(schema), ...Object.values(schema.properties ?? {})];
  return children.some((child) => child !== undefined && hasRules(child));
}

/** The stored object and the limits of one evaluation. */
export interface RuleOptions {
  /** The stored object: required by transition rules; other rules ignore unchanged values (ratcheting). */
  readonly old?: unknown;
  /** The path of the value in its object, a prefix of every field. */
  readonly path?: string;
  /** The cost limit of all rules together. */
  readonly budget?: number;
  /** Called for an error that is ignored because its value is unchanged; an API server warns of it. */
  readonly onRatcheted?: (error: FieldError) => void;
}

/** The compiled rules of a schema, at all levels. */
export interface CompiledRules {
  /** Evaluates the rules for an object that matches its schema. */
  validate(object: unknown, options?: RuleOptions): FieldError[];
}

/** The rules of a node and its descendants, without nodes that have none. */
interface RuleNode {
  readonly schema: JSONSchema;
  readonly rules: readonly CompiledRule[];
  readonly adapt: Adapter;
  readonly items: RuleNode | undefined;
  readonly values: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
}

function compileNode(
  schema: JSONSchema,
  decl: DeclType | undefined,
  isResource: boolean,
): RuleNode | undefined {
  if (!decl) return undefined;
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  const node: RuleNode = {
    schema,
    rules: compileNodeRules(schema, decl),
    adapt: adapterOf(schema, isResource),
    items: items && compileNode(items, decl.element, isEmbedded(items)),
    values: values && compileNode(values, decl.element, isEmbedded(values)),
    properties: compileProperties(schema, decl),
  };
  const isEmpty = node.rules.length === 0 && !node.items && !node.values && node.properties.size === 0;
  return isEmpty ? undefined : node;
}

function compileProperties(schema: JSONSchema, decl: DeclType): ReadonlyMap<string, RuleNode> {
  const nodes = new Map<string, RuleNode>();
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    if (!hasRules(child)) continue;
    const escaped = escapeName(name);
    // A property whose name can't be escaped may still have rules.
    const field = escaped === undefined ? declTypeOf(child, isEmbedded(child)) : decl.fields?.get(escaped);
    const node = compileNode(child, field, isEmbedded(child));
    if (node) nodes.set(name, node);
  }
  return nodes;
}

/** Returns true if a node or one of its ancestors is unchanged; undefined without a stored object. */
type Unchanged = (() => boolean) | undefined;

/** A value to which rules apply, and its variables. */
interface RuleSubject {
  readonly path: string;
  readonly type: string;
  readonly value: unknown;
  readonly old: unknown;
  readonly unchanged: Unchanged;
  /** Reads `self` or `oldSelf`. */
  readonly lookUp: (name: string) => Value | undefined;
  /** The same for rules with `optionalOldSelf`: `oldSelf` is an optional. */
  readonly lookUpOptional: (name: string) => Value | undefined;
}

/** One evaluation of all rules for an object. */
class RuleRun {
  readonly #errors: FieldError[] = [];
  readonly #prefix: string;
  readonly #ratcheting: boolean;
  readonly #onRatcheted: (error: FieldError) => void;
  #budget: number;

  constructor({ old, path = "", budget = runtimeBudget, onRatcheted = () => {} }: RuleOptions) {
    this.#onRatcheted = onRatcheted;
    this.#prefix = path;
    this.#ratcheting = old !== undefined;
    this.#budget = budget;
  }

  run(node: RuleNode, value: unknown, old: unknown): FieldError[] {
    const unchanged = this.#ratcheting ? once(() => isUnchanged(node.schema, value, old)) : undefined;
    try {
      this.#visit(node, this.#prefix, value, old, unchanged, this.#ratcheting);
    } catch (error) {
      if (!(error instanceof OutOfBudgetError)) throw error;
    }
    return this.#errors;
  }

  /** Runs the rules of a node and of its descendants. A correlated value has a stored one at the same place. */
  #visit(
    node: RuleNode,
    path: string,
    value: unknown,
    old: unknown,
    unchanged: Unchanged,
    isCorrelated: boolean,
  ): void {
    if (value === null || value === undefined) return;
    if (node.rules.length > 0) this.#runRules(node, path, value, old, unchanged);
    const { items, properties, schema } = node;
    if (Array.isArray(value) && items) {
      const isMap = schema["x-kubernetes-list-type"] === "map" && Array.isArray(old);
      const find = isMap ? indexListMap(schema, old) : () => undefined;
      const itemSchema = itemsOf(schema) ?? {};
      value.forEach((item, index) => {
        const oldItem = find(item);
        const hasOld = isCorrelated && oldItem !== undefined;
        const itemUnchanged = hasOld ? once(() => isUnchanged(itemSchema, item, oldItem)) : unchanged;
        this.#visit(items, `${path}[${index}]`, item, oldItem, itemUnchanged, hasOld);
      });
    }
    if (!isObject(value)) return;
    for (const [key, item] of Object.entries(value)) {
      const property = properties.get(key);
      const child = property ?? (Object.hasOwn(schema.properties ?? {}, key) ? undefined : node.values);
      if (!child) continue;
      const at = property ? joinPath(path, key) : `${path}[${key}]`;
      const oldItem = isObject(old) ? memberOf(old, key) : undefined;
      const described = memberSchema(schema, key);
      const hasOld = isCorrelated && oldItem !== undefined && described !== undefined;
      const itemUnchanged = hasOld ? once(() => isUnchanged(described, item, oldItem)) : unchanged;
      this.#visit(child, at, item, oldItem, itemUnchanged, hasOld);
    }
  }

  #runRules(node: RuleNode, path: string, value: unknown, old: unknown, unchanged: Unchanged): void {
    if (this.#budget <= 0) this.#giveUp(invalid(path || "<nil>", node.schema.type ?? "", outOfBudget));
    const subject = createSubject(node, path, value, old, unchanged);
    for (const compiled of node.rules) this.#runRule(compiled, subject);
  }

  #runRule(compiled: CompiledRule, subject: RuleSubject): void {
    const { path, type, value, old, unchanged } = subject;
    const { rule, program, usesOldSelf, fieldPath } = compiled;
    const at = path === "" ? "<nil>" : path;
    if (compiled.error !== undefined) {
      this.#errors.push(invalid(at, type, `rule compile error: ${compiled.error}`));
      return;
    }
    // A transition rule needs an old value, unless `optionalOldSelf` is set.
    if (!program || (usesOldSelf && (old === null || old === undefined) && !rule.optionalOldSelf)) return;
    const lookUp = rule.optionalOldSelf ? subject.lookUpOptional : subject.lookUp;
    const { value: result, error, cost } = program.evaluate(lookUp, perCallLimit);
    if (cost > this.#budget) this.#giveUp(invalid(at, type, outOfBudget));
    this.#budget -= cost;
    if (error) {
      this.#fail(error, rule, at, type);
      return;
    }
    if (result === true) return;
    const target = fieldPath && fieldPath.text !== "" ? joinPath(path, fieldPath.text) : at;
    const { detail, cost: spent, fatal } = evaluateMessage(compiled, subject.lookUp, this.#budget);
    this.#budget -= spent;
    const isRatcheted = !usesOldSelf && unchanged?.() === true;
    const add = (error: FieldError): void => {
      if (isRatcheted) this.#onRatcheted(error);
      else this.#errors.push(error);
    };
    if (fatal !== undefined) {
      add(invalid(target, type, fatal));
      throw new OutOfBudgetError();
    }
    add(errorFor(rule, target, type, value, detail));
  }

  /** Reports a rule that could not be evaluated; exceeding the cost limit of one rule ends the run. */
  #fail(error: Error, rule: ValidationRule, at: string, type: string): void {
    const name = describeRule(rule);
    if (error instanceof CostLimitError) {
      const reason = "no further validation rules will be run due to call cost exceeds limit for rule";
      this.#giveUp(invalid(at, type, `'${error.message}': ${reason}: ${name}`));
    }
    if (error instanceof EvalError && error.message.startsWith("no such overload")) {
      const reason =
        "call arguments did not match a supported operator, function or macro signature for rule";
      this.#errors.push(invalid(at, type, `'${error.message}': ${reason}: ${name}`));
    } else {
      this.#errors.push(invalid(at, type, `${error.message} evaluating rule: ${name}`));
    }
  }

  #giveUp(error: FieldError): never {
    this.#errors.push(error);
    throw new OutOfBudgetError();
  }
}

/** The message of a violated rule, and the cost of its evaluation. */
interface Message {
  readonly detail: string;
  readonly cost: number;
  /** The error that ends the validation. */
  readonly fatal?: string;
}

/** Returns the message of a violated rule; if its messageExpression fails, the plain message. */
function evaluateMessage(
  { rule, message }: CompiledRule,
  variables: (name: string) => Value | undefined,
  budget: number,
): Message {
  const plain = rule.message ? rule.message.trim() : `failed rule: ${rule.rule?.trim()}`;
  if (!message) return { detail: plain, cost: 0 };
  const { value, error, cost } = message.evaluate(variables, perCallLimit);
  if (cost > budget) {
    const fatal =
      "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
    return { detail: plain, cost: 0, fatal };
  }
  if (error instanceof CostLimitError) {
    const reason =
      "no further validation rules will be run due to call cost exceeds limit for messageExpression";
    return { detail: plain, cost, fatal: `${reason}: ${quote(rule.messageExpression ?? "")}` };
  }
  const text = typeof value === "string" ? value.trim() : "";
  // As in the API server, a message must be one line, neither empty nor too long.
  const isUsable = !error && text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= messageLimit;
  return { detail: isUsable ? text : plain, cost };
}

/** Adapts a value only when a rule reads it, because it may be of a wrong type. */
function createSubject(
  node: RuleNode,
  path: string,
  value: unknown,
  old: unknown,
  unchanged: Unchanged,
): RuleSubject {
  const hasOld = old !== null && old !== undefined;
  const self = once(() => node.adapt(value));
  const oldSelf = once(() => (hasOld ? node.adapt(old) : undefined));
  return {
    path,
    type: node.schema.type ?? "",
    value,
    old,
    unchanged,
    lookUp: (name) => (name === "self" ? self() : oldSelf()),
    lookUpOptional(name) {
      if (name === "self") return self();
      return hasOld ? optionalOf(oldSelf) : CelOptional.none;
    },
  };
}

function optionalOf(read: () => Value | undefined): CelOptional {
  try {
    return new CelOptional(read());
  } catch (error) {
    // cel-go holds the error as if it were a value, until the optional is read.
    const { message } = asEvalError(error);
    return new UnreadableOptional(`unsupported conversion to ref.Val: (*errors.errorString)${message}`);
  }
}

/** Returns the error of a violated rule with the reason that it asks for; values of objects and lists are not shown. */
function errorFor(
  rule: ValidationRule,
  at: string,
  type: string,
  value: unknown,
  detail: string,
): FieldError {
  const isCompound = type === "object" || type === "array";
  switch (rule.reason) {
    case "FieldValueForbidden":
      return forbidden(at, detail);
    case "FieldValueRequired":
      return required(at, detail);
    case "FieldValueDuplicate":
      return isCompound ? omitted(duplicate(at, ""), detail) : duplicate(at, value);
    default:
      return isCompound ? omitted(invalid(at, "", detail), detail) : invalid(at, value, detail);
  }
}

/** The name of a rule in messages: its message, or its expression. */
function describeRule({ rule = "", message = "" }: ValidationRule): string {
  return message === "" ? rule.trim() : message.trim();
}

/** Returns a function that computes its result on the first call. */
export function once<T>(compute: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: compute() }).value;
}

function isEmbedded(schema: JSONSchema): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

/** A schema with its rules. */
export interface Validator extends CompiledSchema {
  /** Validates a write of the status: the schema of the status, and the rules of the whole object. */
  validateStatus(
    object: Readonly<Record<string, unknown>>,
    old: object,
    options?: Pick<ValidateOptions, "beforeRules" | "onRatcheted">,
  ): FieldError[];
}

/** The reasons of errors after which rules are not evaluated. */
const blockingReasons: ReadonlySet<FieldErrorReason> = new Set(
  splitWords(
    "FieldValueNotSupported FieldValueRequired FieldValueTooLong FieldValueTooMany FieldValueTypeInvalid",
  ),
);

/** Compiles a schema with its rules, for the validation of writes on a server, or in unit tests without one. */
export function compileValidator(schema: JSONSchema): Validator {
  const compiled = compileSchema(schema);
  const rules = compileRules(schema);
  const statusSchema = schema.properties?.["status"];
  const status = statusSchema && compileSchema(statusSchema);
  const withRules = (schemaErrors: FieldError[], object: unknown, options: ValidateOptions): FieldError[] => {
    const errors = [...schemaErrors, ...(options.beforeRules ?? [])];
    if (!rules) return errors;
    if (!options.blocked && !errors.some(({ reason }) => blockingReasons.has(reason)))
      return [...errors, ...rules.validate(object, options)];
    const detail =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return [...errors, invalid("<nil>", null, detail)];
  };
  return {
    ...compiled,
    validate: (object: unknown, options: ValidateOptions = {}) =>
      withRules(compiled.validate(object, options), object, options),
    validateStatus(object, old, options = {}) {
      // A real server does not look at embedded resources when it writes a status.
      const statusOptions = { old: (old as { status?: unknown }).status, path: "status", embedded: false };
      const isSet = status !== undefined && object["status"] !== undefined;
      const errors = isSet ? status.validate(object["status"], statusOptions) : [];
      return withRules(errors, object, { ...options, old });
    },
  };
}
