import { type FunctionDecl, anyType, declare, listOf, method, typed } from "../functions/function.ts";
import type { CelType } from "../types/type.ts";
import { addresses, cidrType, ipType } from "./addresses.ts";
import { authorizerTypes, authorizers } from "./authorizer.ts";
import { formatType, namedFormats } from "./formats.ts";
import { lists } from "./lists.ts";
import { optionals } from "./optionals.ts";
import { quantities, quantityType } from "./quantities.ts";
import { semverType, semvers } from "./semvers.ts";
import { strings } from "./strings.ts";
import { urlType, urls } from "./urls.ts";
import { regex } from "../functions/text.ts";
import { type CelList, type Int, NativeList, isEqualValue } from "../values/value.ts";
import { Env } from "../check/env.ts";

const { bool, int, string } = typed;
const list = listOf(anyType("T"));

/** cel-go's sets library, for lists. */
const sets: readonly FunctionDecl[] = [
  declare("sets.contains", "list_sets_contains_list", [list, list], bool, includesAll),
  declare(
    "sets.equivalent",
    "list_sets_equivalent_list",
    [list, list],
    bool,
    (a, b) => includesAll(a, b) && includesAll(b, a),
  ),
  declare("sets.intersects", "list_sets_intersects_list", [list, list], bool, overlaps),
];

function includesAll(all: CelList, some: CelList): boolean {
  const items = all.toArray();
  return some.toArray().every((wanted) => items.some((item) => isEqualValue(item, wanted)));
}

function overlaps(first: CelList, second: CelList): boolean {
  const items = first.toArray();
  return second.toArray().some((wanted) => items.some((item) => isEqualValue(item, wanted)));
}

/** Kubernetes' regex library. */
const regexes: readonly FunctionDecl[] = [
  method("find", "string_find_string", [string, string], string, find),
  method("findAll", "string_find_all_string", [string, string], listOf(string), findAll),
  method("findAll", "string_find_all_string_int", [string, string, int], listOf(string), findAll),
];

function find(text: string, pattern: string): string {
  const matcher = regex(pattern).matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

/** Returns all matches, or the first ones; a negative limit means no limit. */
function findAll(text: string, pattern: string, limit: Int = -1): CelList {
  const matcher = regex(pattern).matcher(text);
  const found: string[] = [];
  const max = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  while (found.length < max && matcher.find()) found.push(matcher.group() ?? "");
  return new NativeList(found);
}

/** The functions that a Kubernetes 1.36 API server provides to every expression. */
export const kubernetesLibraries: readonly (readonly FunctionDecl[])[] = [
  urls,
  regexes,
  lists,
  optionals,
  quantities,
  strings,
  sets,
  addresses,
  namedFormats,
  semvers,
  authorizers,
];

/** The types of these libraries. */
export const kubernetesTypes: readonly CelType[] = [
  urlType,
  quantityType,
  ipType,
  cidrType,
  formatType,
  semverType,
  ...authorizerTypes,
];

let sharedEnv: Env | undefined;

/** Returns the environment of a Kubernetes 1.36 API server; created on first use. */
export function kubernetesEnv(): Env {
  sharedEnv ??= new Env({ libraries: kubernetesLibraries, types: kubernetesTypes, mixedLiterals: true });
  return sharedEnv;
}
