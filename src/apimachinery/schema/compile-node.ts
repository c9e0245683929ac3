import { type JSONObject, isEqual, isObject, memberOf } from "../json/index.ts";
import { type JSONSchema, itemsOf, nodesOf, valuesOf } from "./json-schema.ts";
import { formatCheck, isKnownFormat } from "./formats/formats.ts";
import { compilePattern } from "./pattern.ts";
import { goFloat, goJSON, goNumber, goPlainFloat, quote } from "../text/index.ts";
import {
  type FieldError,
  invalid,
  invalidFloat,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "../errors/index.ts";
import { indexListMap, isUnchanged } from "./is-unchanged.ts";

/** Validates a value against a schema node and reports errors to the run. */
type Check = (value: unknown, run: Run) => void;

/**
 * Compiles a schema node to a closure. The order of checks, and what counts as a passed check, are the API server's,
 * because both decide which errors clients get, and in which order.
 */
export function compileNode(schema: JSONSchema, known: Map<JSONSchema, Check> = new Map()): Check {
  const existing = known.get(schema);
  if (existing) return existing;
  // Schemas of built-in kinds may be cyclic: children get this placeholder while the node is being compiled.
  let compiled: Check | undefined;
  known.set(schema, (value, run) => compiled!(value, run));
  compiled = withShortcut(
    schema,
    compileChecks(schema, (child) => compileNode(child, known)),
  );
  known.set(schema, compiled);
  return compiled;
}

/** Adds a fast path for scalars without further validations, as most are; it adds the `matches` of the slow path, 6. */
function withShortcut(schema: JSONSchema, check: Check): Check {
  const { type, format, description: _, ...rest } = schema;
  const isPlain = Object.keys(rest).every((key) => ["default", "title", "example", "nullable"].includes(key));
  const expected = type === "integer" ? "number" : type;
  const isScalar = expected === "string" || expected === "boolean" || (type === "integer" && !format);
  if (!isPlain || !isScalar || effectiveFormat(schema, effectiveTypes(schema)) !== "") return check;
  return (value, run) => {
    if (typeof value !== expected || (expected === "number" && !Number.isSafeInteger(value)))
      check(value, run);
    else run.matches += 6;
  };
}

function compileChecks(schema: JSONSchema, compileChild: (schema: JSONSchema) => Check): Check {
  const types = effectiveTypes(schema);
  const format = effectiveFormat(schema, types);
  const isTyped = types.length > 0 || format !== "";
  const refusesNull = types.length > 0 && schema.nullable !== true;
  const onlyType = types.length === 1 ? types[0] : undefined;
  const branches = compileBranches(schema, compileChild);
  const onString = compileString(schema, format);
  const onNumber = compileNumber(schema, types, format);
  const items = itemsOf(schema);
  const onArray = compileArray(schema, items && { schema: items, check: compileChild(items) });
  const onObject = compileObject(schema, compileChild);
  const allowed = schema.enum === undefined || schema.enum.length === 0 ? undefined : schema.enum;

  return (value, run) => {
    if (value === null) {
      if (refusesNull) run.wrongType(types.join(","), "null");
      else run.matches++;
      if (allowed) run.notOneOf(null, allowed);
      return;
    }
    const kind = kindOf(value);
    if (isTyped) {
      const mismatch = kind === onlyType ? undefined : typeMismatch(types, format, kind);
      run.matches += mismatch ? 1 : 2;
      if (mismatch) run.wrongType(mismatch.expected, mismatch.actual);
    }
    branches?.(value, run);
    run.matches += 4;
    if (kind === "string") onString?.(value as string, run);
    else if (kind === "integer" || kind === "number") onNumber?.(value as number | bigint, run);
    else if (kind === "array") onArray(value as unknown[], run);
    // A null in `enum` never matches, not even null: see the branch above.
    if (allowed && !allowed.some((item) => item !== null && isEqual(item, value))) {
      run.notOneOf(value, allowed);
    }
    if (kind === "object" && isObject(value)) onObject?.(value, run);
  };
}

/** Compiles `anyOf`, `oneOf`, `allOf` and `not`, in the order in which the API server checks them. */
function compileBranches(schema: JSONSchema, compileChild: (schema: JSONSchema) => Check): Check | undefined {
  const anyOf = (schema.anyOf ?? []).map(compileChild);
  const oneOf = (schema.oneOf ?? []).map(compileChild);
  const allOf = (schema.allOf ?? []).map(compileChild);
  const not = schema.not && compileChild(schema.not);
  if (anyOf.length === 0 && oneOf.length === 0 && allOf.length === 0 && !not) return undefined;
  return (value, run) => {
    // No ratcheting inside branches: only the node around them is compared with the old object.
    const { old } = run;
    run.old = uncorrelated;
    if (anyOf.length > 0) checkAnyOf(anyOf, value, run);
    if (oneOf.length > 0) checkOneOf(oneOf, value, run);
    if (allOf.length > 0) checkAllOf(allOf, value, run);
    if (not && probe(not, value, run).errors.length === 0) {
      run.composite(`${quote(run.path())} must not validate the schema (not)`);
    }
    run.old = old;
  };
}

/** The result of one branch: its errors, and how many checks passed. */
interface Finding {
  readonly errors: FieldError[];
  readonly matches: number;
}

function checkAnyOf(branches: readonly Check[], value: unknown, run: Run): void {
  let best: Finding | undefined;
  for (const branch of branches) {
    const finding = probe(branch, value, run);
    if (finding.errors.length === 0) {
      addFinding(finding, run);
      return;
    }
    if (!best || finding.matches > best.matches) best = finding;
  }
  run.composite(`${quote(run.path())} must validate at least one schema (anyOf)`);
  addFinding(best, run);
}

function checkOneOf(branches: readonly Check[], value: unknown, run: Run): void {
  let best: Finding | undefined;
  let firstValid: Finding | undefined;
  let valid = 0;
  for (const branch of branches) {
    const finding = probe(branch, value, run);
    if (finding.errors.length === 0) {
      valid++;
      firstValid ??= finding;
    } else if (valid === 0 && (!best || finding.matches > best.matches)) {
      best = finding;
    }
  }
  if (valid === 1) {
    addFinding(firstValid, run);
    return;
  }
  const count = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
  run.composite(`${quote(run.path())} must validate one and only one schema (oneOf). ${count}`);
  if (valid === 0) addFinding(best, run);
}

function checkAllOf(branches: readonly Check[], value: unknown, run: Run): void {
  let valid = 0;
  for (const branch of branches) {
    const finding = probe(branch, value, run);
    if (finding.errors.length === 0) valid++;
    addFinding(finding, run);
  }
  if (valid === branches.length) return;
  const none = valid === 0 ? ". None validated" : "";
  run.composite(`${quote(run.path())} must validate all the schemas (allOf)${none}`);
}

/** Runs a branch, and returns its result instead of adding it to the run. */
function probe(branch: Check, value: unknown, run: Run): Finding {
  const { errors, matches } = run;
  run.errors = [];
  run.matches = 0;
  branch(value, run);
  const finding = { errors: run.errors, matches: run.matches };
  run.errors = errors;
  run.matches = matches;
  return finding;
}

/** Adds the result of a branch to the run. */
function addFinding(finding: Finding | undefined, run: Run): void {
  if (!finding) return;
  run.errors.push(...finding.errors);
  run.matches += finding.matches;
}

/** Compiles a node's validations of strings; of length and pattern, only the first error is reported. */
function compileString(schema: JSONSchema, format: string): ((value: string, run: Run) => void) | undefined {
  const { minLength, maxLength, pattern } = schema;
  const matches = pattern === undefined || pattern === "" ? undefined : compilePattern(pattern);
  const isFormatted = formatCheck(format);
  if (minLength === undefined && maxLength === undefined && !matches && !isFormatted) return undefined;

  return (value, run) => {
    if (maxLength !== undefined && value.length > maxLength && countCharacters(value) > maxLength) {
      run.tooLong(maxLength);
    } else if (
      minLength !== undefined &&
      value.length < minLength * 2 &&
      countCharacters(value) < minLength
    ) {
      run.invalid(value, `should be at least ${minLength} chars long`);
    } else if (matches && !matches.test(value)) {
      run.invalid(value, `should match '${matches.error ?? pattern!}'`);
    }
    if (isFormatted) {
      run.matches++;
      if (!isFormatted(value)) run.wrongType(format, value);
    }
  };
}

/** Lengths are counted in Unicode code points, not UTF-16 code units. */
function countCharacters(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}

type NumberCheck = (value: number | bigint, run: Run) => void;

/** Checks a value against a bound; values that are not exact are compared as floating-point numbers. */
type Constraint = (value: number | bigint, bound: number, isExact: boolean, run: Run) => void;

/** Compiles a node's validations of numbers: the range of its format, bounds, and `multipleOf`. */
function compileNumber(
  schema: JSONSchema,
  types: readonly string[],
  format: string,
): NumberCheck | undefined {
  const { minimum, maximum, multipleOf } = schema;
  const type = types.length === 1 ? types[0]! : "";
  const hasRange = type === "integer" || format === "float";
  const checks = [
    multipleOf === undefined ? undefined : boundCheck("MultipleOf", multipleOf, checkMultiple),
    minimum === undefined
      ? undefined
      : boundCheck("Minimum boundary", minimum, limitCheck("greater", schema.exclusiveMinimum === true)),
    maximum === undefined
      ? undefined
      : boundCheck("Maximum boundary", maximum, limitCheck("less", schema.exclusiveMaximum === true)),
  ].filter((check) => check !== undefined);
  if (!hasRange && checks.length === 0) return undefined;

  return (value, run) => {
    if (hasRange && !isInRange(value, type, format)) outOfRange("Checked", run);
    for (const check of checks) check(value, run);
  };

  /** A bound that its type can't represent, such as 1.5 for integers, is reported for every value. */
  function boundCheck(name: string, bound: number, check: Constraint): NumberCheck {
    const isExact = !hasRange || isInRange(bound, type, format);
    return (value, run) => {
      if (!isExact) outOfRange(name, run);
      check(value, bound, isExact, run);
    };
  }

  function outOfRange(name: string, run: Run): void {
    const description = format === "" ? "(default format)" : `with format ${format}`;
    run.composite(`${name} value must be of type ${type} ${description} in ${run.path()}`);
  }
}

/** Checks that a value is less than a maximum, or greater than a minimum. */
function limitCheck(word: "less" | "greater", exclusive: boolean): Constraint {
  return (value, limit, isExact, run) => {
    const bound = boundFor(value, limit, isExact);
    const passes = word === "less" ? value < bound : value > bound;
    const isAtBound = value >= bound && value <= bound;
    if (passes || (isAtBound && !exclusive)) return;
    const orEqual = exclusive ? "" : "or equal to ";
    report(value, isExact, `should be ${word} than ${orEqual}${formatBound(bound, value, isExact)}`, run);
  };
}

function checkMultiple(value: number | bigint, factor: number, isExact: boolean, run: Run): void {
  const divisor = boundFor(value, factor, isExact);
  if (divisor <= 0) {
    run.invalidFactor(divisor, formatBound(divisor, value, isExact));
    return;
  }
  const isInteger = isExact && kindOf(value) === "integer";
  const quotient = factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor;
  const passes = isInteger ? Number(value) % divisor === 0 : Number.isSafeInteger(quotient);
  if (!passes) report(value, isExact, `should be a multiple of ${formatBound(divisor, value, isExact)}`, run);
}

function report(value: number | bigint, isExact: boolean, message: string, run: Run): void {
  if (isExact) run.invalid(value, message);
  else run.invalidFloat(Number(value), message);
}

/** Integers are compared with the integer part of a bound: the API server casts the bound to int64. */
function boundFor(value: number | bigint, bound: number, isExact: boolean): number {
  return isExact && kindOf(value) === "integer" ? Math.trunc(bound) : bound;
}

function formatBound(bound: number, value: number | bigint, isExact: boolean): string {
  return isExact && kindOf(value) === "integer" ? goNumber(bound) : goFloat(bound);
}

/** Returns true if a number fits into its type and format. */
function isInRange(value: number | bigint, type: string, format: string): boolean {
  if (Number.isSafeInteger(value) && format !== "int32" && type === "integer") return true;
  if (type === "number") return Number.isFinite(Math.fround(Number(value)));
  if (!/^-?\d+$/.test(typeof value === "bigint" ? String(value) : goPlainFloat(value))) return false;
  const bits = format === "int32" ? 31 : 63;
  return value >= -(2 ** bits) && value < 2 ** bits;
}

/** The compiled schema of members or items. */
interface Child {
  readonly schema: JSONSchema;
  readonly check: Check;
}

/** Compiles a node's validations of arrays. */
function compileArray(schema: JSONSchema, items: Child | undefined): (value: unknown[], run: Run) => void {
  const { minItems, maxItems } = schema;
  const unique = schema.uniqueItems === true;
  return (value, run) => {
    if (items) checkItems(schema, items, value, run);
    if (minItems !== undefined && value.length < minItems) {
      run.invalid(value.length, `should have at least ${minItems} items`);
    }
    if (maxItems !== undefined && value.length > maxItems) run.tooMany(value.length, maxItems);
    if (unique && hasDuplicates(value)) run.invalid("", "shouldn't contain duplicates");
    run.matches++;
  };
}

function checkItems(schema: JSONSchema, items: Child, value: unknown[], run: Run): void {
  const old = run.ratcheting ? oldItems(schema, run.old) : undefined;
  for (let index = 0; index < value.length; index++) {
    run.enter(`[${index}]`);
    if (run.ratcheting) descend(items, value[index], old!(value[index]), run);
    else items.check(value[index], run);
    run.leave();
  }
}

function hasDuplicates(value: unknown[]): boolean {
  return value.some((item, index) => value.slice(0, index).some((earlier) => isEqual(earlier, item)));
}

/** Compiles a node's validations of objects. */
function compileObject(
  schema: JSONSchema,
  compileChild: (schema: JSONSchema) => Check,
): ((value: JSONObject<unknown>, run: Run) => void) | undefined {
  const { minProperties, maxProperties } = schema;
  const properties = new Map<string, Child & { readonly step: string }>();
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    properties.set(name, { step: `.${name}`, schema: child, check: compileChild(child) });
  }
  const requiredNames = schema.required ?? [];
  const valueSchema = valuesOf(schema);
  const values = valueSchema && { schema: valueSchema, check: compileChild(valueSchema) };
  const isClosed = schema.additionalProperties === false;
  const isCounted = minProperties !== undefined || maxProperties !== undefined;
  if (properties.size === 0 && requiredNames.length === 0 && !values && !isClosed && !isCounted)
    return undefined;

  return (value, run) => {
    if (isCounted) checkSize(value, schema, run);
    for (const key of Object.keys(value)) {
      const item = value[key];
      const property = properties.get(key);
      if (item === undefined) continue;
      if (property) {
        const step = run.isRoot ? key : property.step;
        checkMember(schema, property, step, key, item, run);
      } else if (values) {
        checkMember(schema, values, `.${key}`, key, item, run);
      } else if (isClosed) {
        run.forbiddenProperty(key);
      }
    }
    for (const name of requiredNames) {
      if (memberOf(value, name) === undefined) run.required(`.${name}`);
    }
  };
}

function checkSize(value: object, { minProperties: min, maxProperties: max }: JSONSchema, run: Run): void {
  const size = Object.keys(value).length;
  if (min !== undefined && size < min) run.invalid(size, `should have at least ${min} properties`);
  if (max !== undefined && size > max) run.tooMany(size, max);
}

function checkMember(schema: JSONSchema, child: Child, step: string, key: string, item: unknown, run: Run) {
  run.enter(step);
  if (run.ratcheting) descend(child, item, oldMember(schema, run, key), run);
  else child.check(item, run);
  run.leave();
}

/** Stands for the absence of an old value, because `null` and `undefined` are values. */
const uncorrelated = Symbol("uncorrelated");

/** Runs a child's check with the child's old value; drops its errors if the child is unchanged. */
function descend({ schema, check }: Child, value: unknown, old: unknown, run: Run): void {
  const parent = run.old;
  const before = run.errors.length;
  run.old = old;
  check(value, run);
  run.old = parent;
  if (old !== uncorrelated && run.errors.length > before && isUnchanged(schema, value, old)) {
    run.errors.length = before;
  }
}

/** Returns the old value of a member. The root's apiVersion and kind are never correlated. */
function oldMember(schema: JSONSchema, run: Run, key: string): unknown {
  if (!isObject(run.old) || !Object.hasOwn(run.old, key)) return uncorrelated;
  if (run.isTypeField(key)) return uncorrelated;
  const isDeclared =
    Object.hasOwn(schema.properties ?? {}, key) || typeof schema.additionalProperties === "object";
  return isDeclared ? memberOf(run.old, key) : uncorrelated;
}

/** Returns a function that finds an item's old value; only the items of list maps have one. */
function oldItems(schema: JSONSchema, old: unknown): (item: unknown) => unknown {
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old) || !itemsOf(schema)) {
    return () => uncorrelated;
  }
  const find = indexListMap(schema, old);
  return (item) => find(item) ?? uncorrelated;
}

/** Returns the types that a node accepts: int-or-string overrides `type`. */
function effectiveTypes(schema: JSONSchema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined || schema.type === "" ? [] : [schema.type];
}

/** Returns the enforced format; unknown formats, and formats of other types, are ignored. */
function effectiveFormat(schema: JSONSchema, types: readonly string[]): string {
  const format = schema.format ?? "";
  switch (types.length === 1 ? types[0] : "") {
    case "":
    case "string":
      return isKnownFormat(format) ? format : "";
    case "integer":
      return format === "int32" || format === "int64" ? format : "";
    case "number":
      return format === "float" || format === "double" ? format : "";
    default:
      return "";
  }
}

/** Yields the formats in a schema that the API server ignores, and warns of. */
export function* unrecognizedFormats(schema: JSONSchema): Generator<string, void> {
  for (const node of nodesOf(schema)) {
    const { type, format } = node;
    if (format && effectiveFormat(node, type ? [type] : []) === "") yield format;
  }
}

/** The type of a JSON value; whole numbers within int64 are integers, as the API server decodes them. */
type ValueKind = "string" | "boolean" | "integer" | "number" | "array" | "object";

/** Returns the type of a value that is not null. */
function kindOf(value: unknown): ValueKind {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "bigint":
      return "integer";
    case "number":
      return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "integer" : "number";
    default:
      return Array.isArray(value) ? "array" : "object";
  }
}

/**
 * Compares a value's type with the schema's types. As on the API server, a format hides the type: errors name the
 * format instead of the type, and arrays are accepted.
 */
function typeMismatch(types: readonly string[], format: string, kind: ValueKind) {
  const accepted = types.includes(kind) || (kind === "integer" && types.includes("number"));
  if (format === "") return accepted ? undefined : { expected: types.join(","), actual: kind };
  const numeric = types.includes("integer") || types.includes("number");
  if (kind === "string" || kind === "array") {
    return accepted || !numeric ? undefined : { expected: types.join(","), actual: kind };
  }
  const actual = kind === "integer" ? "int64" : kind === "number" ? "float64" : "";
  return accepted ? undefined : { expected: format, actual };
}

/**
 * The state of one validation: the current path, the errors, and the number of checks that passed, which decides which
 * branch of an `anyOf` or `oneOf` is reported.
 */
export class Run {
  errors: FieldError[] = [];
  matches = 0;
  /** The old value at the current path; only used if `ratcheting`. */
  old: unknown = uncorrelated;
  /** True for an update: errors of unchanged values are dropped. */
  readonly ratcheting: boolean;
  readonly #prefix: string;
  readonly #path: string[] = [];

  constructor(options: { prefix?: string; old?: unknown }) {
    this.#prefix = options.prefix ?? "";
    this.ratcheting = options.old !== undefined;
    if (this.ratcheting) this.old = options.old;
  }

  enter(step: string): void {
    this.#path.push(step);
  }

  leave(): void {
    this.#path.pop();
  }

  get isRoot(): boolean {
    return this.#path.length === 0;
  }

  /** Returns true for the apiVersion and kind of the validated object itself. */
  isTypeField(key: string): boolean {
    return this.#path.length === 1 && (key === "kind" || key === "apiVersion");
  }

  /** The path as in messages: properties of the root have no leading dot, its other keys have one. */
  path(step = ""): string {
    return this.#path.join("") + step;
  }

  required(step: string): void {
    this.errors.push(required(this.#field(this.path(step))));
  }

  wrongType(expected: string, actual: string): void {
    const path = this.path();
    const detail = `${path} in body must be of type ${expected}: ${quote(actual)}`;
    this.errors.push(typeInvalid(this.#field(path), actual, detail));
  }

  notOneOf(value: unknown, allowed: readonly unknown[]): void {
    const texts = allowed.map((item) => (typeof item === "string" ? item : goJSON(item)));
    this.errors.push(notSupported(this.#field(this.path()), value, texts));
  }

  invalid(value: unknown, message: string): void {
    const path = this.path();
    this.errors.push(invalid(this.#field(path), value, `${path} in body ${message}`));
  }

  invalidFloat(value: number, message: string): void {
    const path = this.path();
    this.errors.push(invalidFloat(this.#field(path), value, `${path} in body ${message}`));
  }

  invalidFactor(value: unknown, factor: string): void {
    const path = this.path();
    const detail = `factor MultipleOf declared for ${path} must be positive: ${factor}`;
    this.errors.push(invalid(this.#field(path), value, detail));
  }

  forbiddenProperty(key: string): void {
    const path = this.path();
    this.errors.push(invalid(this.#field(path), key, `${path}.${key} in body is a forbidden property`));
  }

  tooLong(max: number): void {
    this.errors.push(tooLong(this.#field(this.path()), max));
  }

  tooMany(actual: number, max: number): void {
    this.errors.push(tooMany(this.#field(this.path()), actual, max));
  }

  /** Adds an error of `anyOf`, `oneOf`, `allOf` or `not`: the path is in the message only, the field is the object. */
  composite(text: string): void {
    this.errors.push(invalid(this.#field(""), "", text));
  }

  #field(path: string): string {
    const relative = path.startsWith(".") ? path.slice(1) : path;
    if (relative === "") return this.#prefix === "" ? "<nil>" : this.#prefix;
    return this.#prefix === "" ? relative : `${this.#prefix}.${relative}`;
  }
}
