import {
  type Call,
  type Comprehension,
  type Expr,
  type ListExpr,
  type MapExpr,
  operators,
  qualifiedName,
  type Select,
  type StructExpr,
} from "../ast.ts";
import type { FunctionDecl, Overload } from "../functions/function.ts";
import { CelSyntaxError, type Issue } from "../syntax/issue.ts";
import type { StructType } from "../types/struct-type.ts";
import {
  type CelType,
  formatType,
  isOptional,
  isSameType,
  listType,
  mapType,
  optionalType,
  paramType,
  types,
} from "../types/type.ts";
import { typeOf } from "../values/type-of.ts";
import { assign, couldFit, type Mapping, mostGeneral, substitute } from "./assign.ts";
import type { Env } from "./env.ts";
import { iterationTypes, memberType } from "./member-type.ts";

// One walk over one tree, a method for each kind of node: longer than other files, since split nobody would see it whole.

/**
 * Determines the type of every node and the overloads of every call, resolves qualified names, and stores all of that
 * in the tree. Throws `CelSyntaxError` with all errors.
 */
export function check(source: string, expr: Expr, env: Env): CelType {
  const checker = new Checker(env);
  const type = checker.check(expr);
  if (checker.issues.length > 0) throw new CelSyntaxError(source, checker.issues);
  checker.finish();
  return substitute(checker.mapping, type, true);
}

class Checker {
  readonly issues: Issue[] = [];
  mapping: Mapping = new Map();
  readonly #env: Env;
  readonly #scopes: Map<string, CelType>[] = [];
  readonly #checked: Expr[] = [];
  #variables = 0;

  constructor(env: Env) {
    this.#env = env;
  }

  check(expr: Expr): CelType {
    const type = this.#check(expr);
    expr.type = type;
    this.#checked.push(expr);
    return type;
  }

  /** Type parameters are not resolved until the end. */
  finish(): void {
    for (const expr of this.#checked) expr.type = substitute(this.mapping, expr.type!, true);
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
    return expr.test ? types.bool : substitute(this.mapping, type, false);
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
    return substitute(this.mapping, type, false);
  }

  #fieldType(expr: Expr, operand: CelType, field: string, optional: boolean): CelType {
    const given = substitute(this.mapping, operand, false);
    const target = isOptional(given) ? given.params[0]! : given;
    const type = this.#memberType(expr, target, field);
    return optional || isOptional(given) ? optionalType(type) : type;
  }

  #memberType(expr: Expr, target: CelType, field: string): CelType {
    if (target.kind === "param") this.#assign(types.dyn, target);
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
      return found ? this.#resolve(expr, found, expr.args) : this.#undeclared(expr.pos, name);
    }
    const prefix = qualifiedName(target);
    const inNamespace = prefix === undefined ? undefined : this.#env.findFunction(`${prefix}.${name}`);
    if (inNamespace) {
      expr.qualified = inNamespace.name;
      return this.#resolve(expr, inNamespace, expr.args);
    }
    this.check(target);
    const found = this.#env.findFunction(name);
    return found ? this.#resolve(expr, found, [target, ...expr.args]) : this.#undeclared(expr.pos, name);
  }

  #resolve(expr: Call, declaration: FunctionDecl, args: readonly Expr[]): CelType {
    const isMember = expr.target !== undefined && expr.qualified === undefined;
    if (expr.name === operators.and || expr.name === operators.or) return this.#logical(expr, declaration);
    const given = args.map((arg) => arg.type!);
    const fitting: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of declaration.overloads) {
      if (overload.member !== isMember || !couldFit(overload.params, given)) continue;
      const fresh = new Map(overload.typeParams.map((name) => [name, this.#newVariable()]));
      const params = overload.params.map((param) => substitute(fresh, param, false));
      const next = assign(this.mapping, given, params);
      if (!next) continue;
      this.mapping = next;
      fitting.push(overload);
      const type = substitute(next, substitute(fresh, overload.result, false), false);
      if (!result) result = type;
      else if (result.kind !== "dyn" && !isSameType(type, result)) result = types.dyn;
    }
    if (result) {
      expr.overloads = fitting;
      return result;
    }
    const shown = given.map((type) => formatType(substitute(this.mapping, type, true)));
    const signature = isMember ? `${shown[0]}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
    return this.#report(
      expr.pos,
      `found no matching overload for '${declaration.name}' applied to '${signature}'`,
    );
  }

  #logical(expr: Call, { overloads }: FunctionDecl): CelType {
    expr.overloads = overloads;
    let failed = false;
    for (const arg of expr.args) {
      if (this.#assign(arg.type!, types.bool)) continue;
      this.#mismatch(arg, types.bool, arg.type!);
      failed = true;
    }
    return failed ? types.error : types.bool;
  }

  #list(expr: ListExpr): CelType {
    let item: CelType | undefined;
    expr.items.forEach((element, index) => {
      const type = this.check(element);
      item = this.#join(element, item, expr.optional.has(index) ? this.#unwrap(element, type) : type);
    });
    return listType(item ?? this.#newVariable());
  }

  #map(expr: MapExpr): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of expr.entries) {
      key = this.#join(entry.key, key, this.check(entry.key));
      const type = this.check(entry.value);
      value = this.#join(entry.value, value, entry.optional ? this.#unwrap(entry.value, type) : type);
    }
    return mapType(key ?? this.#newVariable(), value ?? this.#newVariable());
  }

  #unwrap(expr: Expr, type: CelType): CelType {
    if (isOptional(type)) return type.params[0]!;
    if (type.kind !== "dyn") this.#mismatch(expr, optionalType(type), type);
    return type;
  }

  #join(expr: Expr, previous: CelType | undefined, current: CelType): CelType {
    if (!previous) return current;
    if (this.#assign(previous, current)) return mostGeneral(previous, current);
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
    const given = this.check(value);
    const type = optional ? this.#unwrap(value, given) : given;
    const wanted = struct.fieldType(name);
    if (!wanted) this.#report(pos, `undefined field '${name}'`);
    else if (!this.#assign(wanted, type)) {
      const [expected, actual] = [formatType(wanted), formatType(type)];
      const what = `expected type of field '${name}' is '${expected}' but provided type is '${actual}'`;
      this.#report(pos, what);
    }
  }

  #comprehension(expr: Comprehension): CelType {
    const range = substitute(this.mapping, this.check(expr.range), false);
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
    return substitute(this.mapping, result, false);
  }

  #iterationTypes(expr: Comprehension, range: CelType): readonly [CelType, CelType] {
    if (range.kind === "param") this.#assign(types.dyn, range);
    const found = iterationTypes(range, expr.iterVar2 !== undefined);
    if (found) return found;
    const shown = formatType(range);
    this.#report(
      expr.range.pos,
      `expression of type '${shown}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
    return [types.error, types.error];
  }

  #expectType(expr: Expr, expected: CelType): void {
    if (!this.#assign(expected, expr.type!)) this.#mismatch(expr, expected, expr.type!);
  }

  #assign(wanted: CelType, given: CelType): boolean {
    const next = assign(this.mapping, [wanted], [given]);
    if (next) this.mapping = next;
    return next !== undefined;
  }

  #newVariable(): CelType {
    return paramType(`_var${this.#variables++}`);
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
