import { declare, type FunctionDecl, overload } from "../functions/function.ts";
import { listType, paramType, types } from "../types/type.ts";
import { isEqualValue } from "../values/equality.ts";
import type { CelList } from "../values/list.ts";

const list = listType(paramType("T"));

function includesAll(all: CelList, some: CelList): boolean {
  const items = all.toArray();
  return some.toArray().every((wanted) => items.some((item) => isEqualValue(item, wanted)));
}

function overlaps(first: CelList, second: CelList): boolean {
  const items = first.toArray();
  return second.toArray().some((wanted) => items.some((item) => isEqualValue(item, wanted)));
}

/** The functions of the sets library. */
export const sets: readonly FunctionDecl[] = [
  declare("sets.contains", overload("list_sets_contains_list", [list, list], types.bool, includesAll)),
  declare(
    "sets.equivalent",
    overload(
      "list_sets_equivalent_list",
      [list, list],
      types.bool,
      (a: CelList, b: CelList) => includesAll(a, b) && includesAll(b, a),
    ),
  ),
  declare("sets.intersects", overload("list_sets_intersects_list", [list, list], types.bool, overlaps)),
];
