import { accumulator, type Call, call, type Comprehension, type Expr, literal, operators } from "../ast.ts";

/** Reports an error in the arguments of a macro. */
type Report = (pos: number, message: string) => void;

/** Expands a call; reports invalid arguments and returns undefined. */
type Macro = (macro: Call, report: Report) => Expr | undefined;

/** The macros of CEL and of Kubernetes' environment, by their calls and numbers of arguments. */
const macros: Readonly<Record<string, Macro>> = {
  "function has/1": has,
  "method all/2": foldMacro(1, all),
  "method all/3": foldMacro(2, all),
  "method exists/2": foldMacro(1, exists),
  "method exists/3": foldMacro(2, exists),
  "method exists_one/2": foldMacro(1, existsOne),
  "method existsOne/2": foldMacro(1, existsOne),
  "method exists_one/3": foldMacro(2, existsOne),
  "method existsOne/3": foldMacro(2, existsOne),
  "method filter/2": foldMacro(1, filter, "argument is not an identifier"),
  "method map/2": foldMacro(1, mapTo, "argument is not an identifier"),
  "method map/3": foldMacro(1, mapTo, "argument is not an identifier"),
  "method transformList/3": foldMacro(2, mapTo),
  "method transformList/4": foldMacro(2, mapTo),
  "method transformMap/3": foldMacro(2, insertValue),
  "method transformMap/4": foldMacro(2, insertValue),
  "method transformMapEntry/3": foldMacro(2, insertEntry),
  "method transformMapEntry/4": foldMacro(2, insertEntry),
  "method sortBy/2": sortBy,
  "method optMap/2": optional("optMap", (pos, value) => call(pos, "optional.of", [value])),
  "method optFlatMap/2": optional("optFlatMap", (_, value) => value),
};

/**
 * Expands a macro call. Expansions have the same nodes as in cel-go, because every node has a cost. A call with another
 * number of arguments than the macro's is an ordinary call.
 */
export function expandMacro(expr: Call, report: Report): Expr | undefined {
  const kind = expr.target ? "method" : "function";
  return macros[`${kind} ${expr.name}/${expr.args.length}`]?.(expr, report);
}

/** The parts in which folds differ. */
type Fold = Pick<Comprehension, "accuInit" | "condition" | "step" | "result">;

/** Creates a fold from the arguments after the variables. */
type CreateFold = (pos: number, args: readonly Expr[], variables: readonly string[]) => Fold;

/** Returns a macro whose first one or two arguments are variables, and whose others a fold uses. */
function foldMacro(variables: 1 | 2, fold: CreateFold, notAName = "argument must be a simple name"): Macro {
  return ({ pos, target, args }, report) => {
    const names = variableNames(args.slice(0, variables), notAName, report);
    if (!names) return undefined;
    const [iterVar, iterVar2] = names;
    return {
      kind: "comprehension",
      pos,
      range: target!,
      iterVar: iterVar!,
      ...(iterVar2 === undefined ? {} : { iterVar2 }),
      accuVar: accumulator,
      ...fold(pos, args.slice(variables), names),
    };
  };
}

function variableNames(args: readonly Expr[], notAName: string, report: Report): string[] | undefined {
  const fail = (pos: number, message: string): undefined => {
    report(pos, message);
    return undefined;
  };
  const names: string[] = [];
  for (const arg of args) {
    if (arg.kind !== "ident") return fail(arg.pos, notAName);
    if (names.includes(arg.name)) return fail(arg.pos, `duplicate variable name: ${arg.name}`);
    if (arg.name === accumulator || arg.name === "__result__")
      return fail(arg.pos, "iteration variable overwrites accumulator variable");
    names.push(arg.name);
  }
  return names;
}

function has({ pos, args }: Call, report: Report): Expr | undefined {
  const arg = args[0]!;
  if (arg.kind === "select" && !arg.test) return { ...arg, pos, test: true };
  report(arg.pos, "invalid argument to has() macro");
  return undefined;
}

function all(pos: number, [predicate]: readonly Expr[]): Fold {
  return {
    accuInit: literal(pos, true),
    condition: call(pos, operators.notStrictlyFalse, [accu(pos)]),
    step: call(pos, operators.and, [accu(pos), predicate!]),
    result: accu(pos),
  };
}

function exists(pos: number, [predicate]: readonly Expr[]): Fold {
  return {
    accuInit: literal(pos, false),
    condition: call(pos, operators.notStrictlyFalse, [call(pos, operators.not, [accu(pos)])]),
    step: call(pos, operators.or, [accu(pos), predicate!]),
    result: accu(pos),
  };
}

function existsOne(pos: number, [predicate]: readonly Expr[]): Fold {
  const increment = call(pos, operators.add, [accu(pos), literal(pos, 1)]);
  return {
    accuInit: literal(pos, 0),
    condition: literal(pos, true),
    step: when(pos, predicate, increment),
    result: call(pos, operators.equals, [accu(pos), literal(pos, 1)]),
  };
}

function filter(pos: number, [predicate]: readonly Expr[], [variable]: readonly string[]): Fold {
  const kept: Expr = { kind: "ident", pos, name: variable! };
  return collect(pos, emptyList(pos), when(pos, predicate, append(pos, kept)));
}

function mapTo(pos: number, args: readonly Expr[]): Fold {
  const [predicate, item] = args.length === 2 ? args : [undefined, args[0]];
  return collect(pos, emptyList(pos), when(pos, predicate, append(pos, item!)));
}

function insertValue(pos: number, args: readonly Expr[], [key]: readonly string[]): Fold {
  const [predicate, value] = args.length === 2 ? args : [undefined, args[0]];
  const insert = call(pos, "cel.@mapInsert", [accu(pos), { kind: "ident", pos, name: key! }, value!]);
  return collect(pos, { kind: "map", pos, entries: [] }, when(pos, predicate, insert));
}

function insertEntry(pos: number, args: readonly Expr[]): Fold {
  const [predicate, entry] = args.length === 2 ? args : [undefined, args[0]];
  const insert = call(pos, "cel.@mapInsert", [accu(pos), entry!]);
  return collect(pos, { kind: "map", pos, entries: [] }, when(pos, predicate, insert));
}

/** Sorts by keys computed from the items. A binding holds the list, so that it is evaluated only once. */
function sortBy({ pos, target, args }: Call, report: Report): Expr | undefined {
  if (target!.kind === "literal" || target!.kind === "map" || target!.kind === "struct") {
    const operands = "a list, identifier, comprehension, call or select expression";
    report(target!.pos, `sortBy can only be applied to ${operands}`);
    return undefined;
  }
  const input: Expr = { kind: "ident", pos, name: "@__sortBy_input__" };
  const keys = foldMacro(
    1,
    mapTo,
    "argument is not an identifier",
  )({ kind: "call", pos, name: "map", target: { ...input }, args }, report);
  if (!keys) return undefined;
  return {
    kind: "comprehension",
    pos,
    range: emptyList(pos),
    iterVar: "#unused",
    accuVar: input.name,
    accuInit: target!,
    condition: literal(pos, false),
    step: { ...input },
    result: { kind: "call", pos, name: "@sortByAssociatedKeys", target: input, args: [keys] },
  };
}

/** Returns a macro that binds the value of an optional to a variable, and is `optional.none()` without a value. */
function optional(name: string, wrap: (pos: number, value: Expr) => Expr): Macro {
  return ({ pos, target, args }, report) => {
    const [variable, value] = args;
    if (variable?.kind !== "ident") {
      report(variable!.pos, `${name}() variable name must be a simple identifier`);
      return undefined;
    }
    const binding: Comprehension = {
      kind: "comprehension",
      pos,
      range: emptyList(pos),
      iterVar: "#unused",
      accuVar: variable.name,
      accuInit: { kind: "call", pos, name: "value", target: target!, args: [] },
      condition: literal(pos, false),
      step: { kind: "ident", pos, name: variable.name },
      result: value!,
    };
    const isSet: Call = { kind: "call", pos, name: "hasValue", target: target!, args: [] };
    return call(pos, operators.conditional, [isSet, wrap(pos, binding), call(pos, "optional.none", [])]);
  };
}

/** Returns a fold over all items. */
function collect(pos: number, accuInit: Expr, step: Expr): Fold {
  return { accuInit, condition: literal(pos, true), step, result: accu(pos) };
}

/** Returns a step that leaves the accumulator unchanged unless the predicate is true. */
function when(pos: number, predicate: Expr | undefined, step: Expr): Expr {
  return predicate ? call(pos, operators.conditional, [predicate, step, accu(pos)]) : step;
}

function append(pos: number, item: Expr): Expr {
  return call(pos, operators.add, [accu(pos), { kind: "list", pos, items: [item], optional: new Set() }]);
}

function emptyList(pos: number): Expr {
  return { kind: "list", pos, items: [], optional: new Set() };
}

function accu(pos: number): Expr {
  return { kind: "ident", pos, name: accumulator };
}
