import type { Call, Comprehension, Expr, ListExpr, MapExpr, Select, StructExpr } from "../ast.ts";
import { operators, qualifiedName } from "../ast.ts";
import type { FunctionDecl, Overload } from "../functions/function.ts";
import { CelSyntaxError, type Issue } from "../syntax/issue.ts";
import type { Env, StructType } from "./env.ts";
import {
  type CelType,
  formatType,
  isOptional,
  isSameType,
  listType,
  mapType,
  opaqueType,
  optionalType,
  paramType,
  typeType,
  types,
} from "../types/type.ts";
import { typeOf } from "../values/value.ts";
import { reservedWords } from "../syntax/token.ts";

/**
 * Determines the type of every node and the overloads of every call, resolves qualified names, and stores all of that
 * in the tree. Throws `CelSyntaxError` with all errors.
 */
export function check(source: string, expr: Expr, env: Env): CelType {
  const checker = new Checker(env);
  const type = checker.check(expr);
  if (checker.issues.length > 0) throw new CelSyntaxError(source, checker.issues);
  return checker.finish(type);
}

/** Checks the nodes of one tree, with a method for each kind of node. */
class Checker {
  readonly issues: Issue[] = [];
  readonly #inference = new Inference();
  readonly #env: Env;
  readonly #scopes: Map<string, CelType>[] = [];
  readonly #checked: Expr[] = [];

  constructor(env: Env) {
    this.#env = env;
  }

  check(expr: Expr): CelType {
    const type = this.#check(expr);
    expr.type = type;
    this.#checked.push(expr);
    return type;
  }

  /** Resolves the type parameters in the types of all nodes, and in the type of the expression. */
  finish(type: CelType): CelType {
    for (const expr of this.#checked) expr.type = this.#inference.resolveAll(expr.type!);
    return this.#inference.resolveAll(type);
  }

  #check(expr: Expr): CelType {
    switch (expr.kind) {
      case "literal":
        return typeOf(expr.value);
      case "ident": {
        const type = this.#nameType(expr.name);
        if (type) return type;
        return this.#undeclared(expr.pos, expr.name);
      }
      case "select":
        return this.#select(expr);
      case "call":
        return expr.name === operators.optionalSelect ? this.#optionalSelect(expr) : this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "comprehension":
        return this.#comprehension(expr);
    }
  }

  #nameType(name: string): CelType | undefined {
    for (let index = this.#scopes.length - 1; index >= 0; index--) {
      const type = this.#scopes[index]!.get(name);
      if (type) return type;
    }
    return this.#env.findName(name)?.type;
  }

  #select(expr: Select): CelType {
    const name = qualifiedName(expr);
    const found = name === undefined ? undefined : this.#env.findName(name);
    if (found && !this.#isLocal(name!)) {
      expr.qualified = found.name;
      return found.type;
    }
    const type = this.#fieldType(expr, this.check(expr.operand), expr.field, false);
    return expr.test ? types.bool : this.#inference.resolve(type);
  }

  /** `x.y` is not a qualified name if `x` is a variable of a comprehension. */
  #isLocal(name: string): boolean {
    const root = name.split(".")[0]!;
    return this.#scopes.some((scope) => scope.has(root));
  }

  #optionalSelect(expr: Call): CelType {
    const [operand, field] = expr.args as [Expr, Expr];
    const name = field.kind === "literal" && typeof field.value === "string" ? field.value : "";
    field.type = types.string;
    const type = this.#fieldType(expr, this.check(operand), name, true);
    return this.#inference.resolve(type);
  }

  #fieldType(expr: Expr, operand: CelType, field: string, optional: boolean): CelType {
    const operandType = this.#inference.resolve(operand);
    const target = isOptional(operandType) ? operandType.params[0]! : operandType;
    const type = this.#memberType(expr, target, field);
    return optional || isOptional(operandType) ? optionalType(type) : type;
  }

  #memberType(expr: Expr, target: CelType, field: string): CelType {
    if (target.kind === "param") this.#inference.assign(types.dyn, target);
    const found = memberType(target, field);
    if (typeof found === "object") return found;
    this.#report(expr.pos, found);
    return target.kind === "object" ? types.error : types.dyn;
  }

  #call(expr: Call): CelType {
    for (const arg of expr.args) this.check(arg);
    const { target, name } = expr;
    if (!target) {
      const found = this.#env.findFunction(name);
      return found ? this.#resolveOverloads(expr, found, expr.args) : this.#undeclared(expr.pos, name);
    }
    const prefix = qualifiedName(target);
    const inNamespace = prefix === undefined ? undefined : this.#env.findFunction(`${prefix}.${name}`);
    if (inNamespace) {
      expr.qualified = inNamespace.name;
      return this.#resolveOverloads(expr, inNamespace, expr.args);
    }
    this.check(target);
    const found = this.#env.findFunction(name);
    return found
      ? this.#resolveOverloads(expr, found, [target, ...expr.args])
      : this.#undeclared(expr.pos, name);
  }

  /** Stores the overloads that match the arguments' types. For `&&` and `||`, errors name the operand that is not a bool. */
  #resolveOverloads(expr: Call, declaration: FunctionDecl, args: readonly Expr[]): CelType {
    const isMember = expr.target !== undefined && expr.qualified === undefined;
    if (expr.name === operators.and || expr.name === operators.or) return this.#logical(expr, declaration);
    const argTypes = args.map((arg) => arg.type!);
    const candidates = declaration.overloads.filter(({ member }) => member === isMember);
    const matched = this.#inference.match(candidates, argTypes);
    if (matched) {
      expr.overloads = matched.overloads;
      return matched.result;
    }
    const shown = argTypes.map((type) => formatType(this.#inference.resolveAll(type)));
    const signature = isMember ? `${shown[0]}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
    const message = `found no matching overload for '${declaration.name}' applied to '${signature}'`;
    return this.#report(expr.pos, message);
  }

  #logical(expr: Call, { overloads }: FunctionDecl): CelType {
    expr.overloads = overloads;
    let failed = false;
    for (const arg of expr.args) {
      if (this.#inference.assign(arg.type!, types.bool)) continue;
      this.#mismatch(arg, types.bool, arg.type!);
      failed = true;
    }
    return failed ? types.error : types.bool;
  }

  #list(expr: ListExpr): CelType {
    let item: CelType | undefined;
    expr.items.forEach((element, index) => {
      const type = this.check(element);
      const itemType = expr.optional.has(index) ? this.#unwrapOptional(element, type) : type;
      item = this.#joinTypes(element, item, itemType);
    });
    return listType(item ?? this.#inference.newVariable());
  }

  #map(expr: MapExpr): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of expr.entries) {
      key = this.#joinTypes(entry.key, key, this.check(entry.key));
      const type = this.check(entry.value);
      const valueType = entry.optional ? this.#unwrapOptional(entry.value, type) : type;
      value = this.#joinTypes(entry.value, value, valueType);
    }
    return mapType(key ?? this.#inference.newVariable(), value ?? this.#inference.newVariable());
  }

  #unwrapOptional(expr: Expr, type: CelType): CelType {
    if (isOptional(type)) return type.params[0]!;
    if (type.kind !== "dyn") this.#mismatch(expr, optionalType(type), type);
    return type;
  }

  /** Returns the type of all items so far; dyn if they differ and the environment allows that. */
  #joinTypes(expr: Expr, previous: CelType | undefined, current: CelType): CelType {
    if (!previous) return current;
    if (this.#inference.assign(previous, current)) return mostGeneral(previous, current);
    if (this.#env.mixedLiterals) return types.dyn;
    this.#mismatch(expr, previous, current);
    return types.error;
  }

  #struct(expr: StructExpr): CelType {
    const struct = this.#env.findStruct(expr.name);
    if (struct) {
      for (const field of expr.fields) this.#structField(struct, field);
      return struct.type;
    }
    const found = this.#env.findName(expr.name);
    if (!found) return this.#undeclared(expr.pos, expr.name);
    const message =
      found.type.kind === "type" ? `'${found.name}' is not a message type` : `'${found.name}' is not a type`;
    this.#report(expr.pos, message);
    for (const { value } of expr.fields) this.check(value);
    return types.error;
  }

  #structField(struct: StructType, { name, pos, value, optional }: StructExpr["fields"][number]): void {
    const valueType = this.check(value);
    const actual = optional ? this.#unwrapOptional(value, valueType) : valueType;
    const expected = struct.fieldType(name);
    if (!expected) this.#report(pos, `undefined field '${name}'`);
    else if (!this.#inference.assign(expected, actual)) {
      const difference = `'${formatType(expected)}' but provided type is '${formatType(actual)}'`;
      this.#report(pos, `expected type of field '${name}' is ${difference}`);
    }
  }

  #comprehension(expr: Comprehension): CelType {
    const range = this.#inference.resolve(this.check(expr.range));
    const accuType = this.check(expr.accuInit);
    this.#scopes.push(new Map([[expr.accuVar, accuType]]));
    const [first, second] = this.#iterationTypes(expr, range);
    const variables = new Map([[expr.iterVar, first]]);
    if (expr.iterVar2 !== undefined) variables.set(expr.iterVar2, second);
    this.#scopes.push(variables);
    this.check(expr.condition);
    this.#expectType(expr.condition, types.bool);
    this.check(expr.step);
    this.#expectType(expr.step, accuType);
    this.#scopes.pop();
    const result = this.check(expr.result);
    this.#scopes.pop();
    return this.#inference.resolve(result);
  }

  #iterationTypes(expr: Comprehension, range: CelType): readonly [CelType, CelType] {
    if (range.kind === "param") this.#inference.assign(types.dyn, range);
    const found = iterationTypes(range, expr.iterVar2 !== undefined);
    if (found) return found;
    const problem = "cannot be range of a comprehension (must be list, map, or dynamic)";
    this.#report(expr.range.pos, `expression of type '${formatType(range)}' ${problem}`);
    return [types.error, types.error];
  }

  #expectType(expr: Expr, expected: CelType): void {
    if (!this.#inference.assign(expected, expr.type!)) this.#mismatch(expr, expected, expr.type!);
  }

  #mismatch(expr: Expr, expected: CelType, actual: CelType): void {
    this.#report(expr.pos, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`);
  }

  #undeclared(pos: number, name: string): CelType {
    return this.#report(pos, `undeclared reference to '${name}' (in container '${this.#env.container}')`);
  }

  #report(pos: number, message: string): CelType {
    this.issues.push({ pos, message });
    return types.error;
  }
}

/** Returns the type of a field, or an error message. */
function memberType(target: CelType, field: string): CelType | string {
  switch (target.kind) {
    case "map":
      return target.params[1]!;
    case "object": {
      // A keyword may be selected, although the field is declared under its escaped name.
      const keyword = reservedWords.has(field) ? `__${field}__` : field;
      if (target.isOpen) return types.dyn;
      if (!target.fields) return `unexpected failed resolution of '${target.name}'`;
      return target.fields.get(field) ?? target.fields.get(keyword) ?? `undefined field '${field}'`;
    }
    case "param":
    case "dyn":
    case "error":
      return types.dyn;
    default:
      return `type '${formatType(target)}' does not support field selection`;
  }
}

/** Returns the types of the one or two iteration variables, or undefined if the type can't be iterated. */
function iterationTypes(range: CelType, pairs: boolean): readonly [CelType, CelType] | undefined {
  switch (range.kind) {
    case "list":
      return pairs ? [types.int, range.params[0]!] : [range.params[0]!, range.params[0]!];
    case "map":
      return [range.params[0]!, range.params[1]!];
    case "dyn":
    case "error":
    case "param":
      return [types.dyn, types.dyn];
    default:
      return undefined;
  }
}

/** The overloads that match the types of a call's arguments, and the type of the result. */
interface MatchedOverloads {
  readonly overloads: readonly Overload[];
  readonly result: CelType;
}

/** The type parameters of an expression, and the types to which they are bound so far; as in cel-go's `types.go`. */
class Inference {
  #mapping: Mapping = new Map();
  #variables = 0;

  newVariable(): CelType {
    return paramType(`_var${this.#variables++}`);
  }

  /** Replaces bound type parameters; unbound ones stay. */
  resolve(type: CelType): CelType {
    return substitute(this.#mapping, type, false);
  }

  /** Replaces all type parameters; unbound ones become dyn. */
  resolveAll(type: CelType): CelType {
    return substitute(this.#mapping, type, true);
  }

  /** Binds type parameters so that the actual type is assignable; returns false if it can't be. */
  assign(expected: CelType, actual: CelType): boolean {
    const next = assign(this.#mapping, [expected], [actual]);
    if (next) this.#mapping = next;
    return next !== undefined;
  }

  /** Finds all matching overloads; the result is dyn if their results differ. */
  match(candidates: readonly Overload[], argTypes: readonly CelType[]): MatchedOverloads | undefined {
    const overloads: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of candidates) {
      const type = this.#matchOverload(overload, argTypes);
      if (!type) continue;
      overloads.push(overload);
      if (!result) result = type;
      else if (result.kind !== "dyn" && !isSameType(type, result)) result = types.dyn;
    }
    return result && { overloads, result };
  }

  #matchOverload(
    { params, typeParams, result }: Overload,
    argTypes: readonly CelType[],
  ): CelType | undefined {
    if (!couldMatch(params, argTypes)) return undefined;
    const fresh = new Map(typeParams.map((name) => [name, this.newVariable()]));
    const paramTypes = params.map((param) => substitute(fresh, param, false));
    const next = assign(this.#mapping, argTypes, paramTypes);
    if (!next) return undefined;
    this.#mapping = next;
    return this.resolve(substitute(fresh, result, false));
  }
}

/** The types to which type parameters are bound, by name. */
type Mapping = ReadonlyMap<string, CelType>;

/**
 * Matches two lists of types in pairs. Returns the mapping with the new bindings of type parameters, or undefined if a
 * pair does not fit. The order of the lists decides only which parameter is bound first.
 */
function assign(mapping: Mapping, a: readonly CelType[], b: readonly CelType[]): Mapping | undefined {
  const draft = new Map(mapping);
  return fitsAll(draft, a, b) ? draft : undefined;
}

/** The kinds of types that may be assignable to types of another kind. */
const flexibleKinds: ReadonlySet<CelType["kind"]> = new Set(["param", "dyn", "error", "null"]);

/** Excludes most overloads by the number and kinds of their parameters, without looking at bindings. */
function couldMatch(params: readonly CelType[], argTypes: readonly CelType[]): boolean {
  if (params.length !== argTypes.length) return false;
  return params.every((param, index) => {
    const { kind } = argTypes[index]!;
    return param.kind === kind || flexibleKinds.has(param.kind) || flexibleKinds.has(kind);
  });
}

/** Replaces bound type parameters in a type; unbound ones stay, or become dyn. */
function substitute(mapping: Mapping, type: CelType, unknownToDyn: boolean): CelType {
  switch (type.kind) {
    case "param": {
      const found = mapping.get(type.name);
      if (found) return substitute(mapping, found, unknownToDyn);
      return unknownToDyn ? types.dyn : type;
    }
    case "list":
      return listType(substitute(mapping, type.params[0]!, unknownToDyn));
    case "map":
      return mapType(
        substitute(mapping, type.params[0]!, unknownToDyn),
        substitute(mapping, type.params[1]!, unknownToDyn),
      );
    case "opaque":
      if (type.params.length === 0) return type;
      return opaqueType(type.name, ...type.params.map((param) => substitute(mapping, param, unknownToDyn)));
    case "type":
      return type.params[0] ? typeType(substitute(mapping, type.params[0], unknownToDyn)) : type;
    default:
      return type;
  }
}

/** Returns the more general of two types of which one is assignable to the other; null is the least general. */
function mostGeneral(a: CelType, b: CelType): CelType {
  if (b.kind === "null" && a.kind !== "dyn") return a;
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === "dyn" || a.kind === "param") return true;
  if (b.kind === "dyn" || b.kind === "param" || a.kind !== b.kind) return false;
  switch (a.kind) {
    case "opaque":
    case "list":
    case "map":
      return (
        a.name === b.name &&
        a.params.length === b.params.length &&
        a.params.every((param, index) => isLessSpecific(param, b.params[index]!))
      );
    case "type":
      return true;
    default:
      return isSameType(a, b);
  }
}

function fitsAll(mapping: Map<string, CelType>, a: readonly CelType[], b: readonly CelType[]): boolean {
  return a.length === b.length && a.every((type, index) => fits(mapping, type, b[index]!));
}

/** Returns true if one of the types is assignable to the other; adds bindings to the mapping. */
function fits(mapping: Map<string, CelType>, a: CelType, b: CelType): boolean {
  if (b.kind === "param") {
    const bound = bind(mapping, a, b);
    if (bound.fits || bound.wasBound) return bound.fits;
  }
  if (a.kind === "param") return bind(mapping, b, a).fits;
  if (isAny(a) || isAny(b)) return true;
  if (a.kind === "null") return acceptsNull(b);
  if (b.kind === "null") return acceptsNull(a);
  switch (a.kind) {
    case "type":
      return b.kind === "type";
    case "opaque":
    case "list":
    case "map":
      return a.kind === b.kind && a.name === b.name && fitsAll(mapping, a.params, b.params);
    case "object":
      return b.kind === "object" && a.name === b.name;
    default:
      return a.kind === b.kind;
  }
}

/** Binds a type parameter, or widens its binding. A parameter that would contain itself fits nothing. */
function bind(mapping: Map<string, CelType>, type: CelType, param: CelType) {
  if (type.kind === "param" && type.name === param.name) return { fits: true, wasBound: true };
  const bound = mapping.get(param.name);
  if (bound) {
    if (isSameType(type, bound)) return { fits: true, wasBound: true };
    if (!fits(mapping, type, bound)) return { fits: false, wasBound: true };
    const wider = mostGeneral(type, bound);
    if (!refersTo(mapping, param.name, wider)) mapping.set(param.name, wider);
    return { fits: true, wasBound: true };
  }
  if (refersTo(mapping, param.name, type)) return { fits: false, wasBound: false };
  mapping.set(param.name, type);
  return { fits: true, wasBound: false };
}

function refersTo(mapping: Mapping, name: string, type: CelType): boolean {
  if (type.kind === "param") {
    if (type.name === name) return true;
    const bound = mapping.get(type.name);
    return bound !== undefined && refersTo(mapping, name, bound);
  }
  return type.params.some((param) => refersTo(mapping, name, param));
}

function isAny(type: CelType): boolean {
  return type.kind === "dyn" || type.kind === "error";
}

function acceptsNull(type: CelType): boolean {
  return type.isWrapper === true || ["null", "opaque", "object", "duration", "timestamp"].includes(type.kind);
}
