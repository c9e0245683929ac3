import { declare, type FunctionDecl, method } from "../functions/function.ts";
import { regex } from "../functions/text.ts";
import { listType, types } from "../types/type.ts";
import type { Int } from "../values/int.ts";
import { type CelList, NativeList } from "../values/list.ts";

const { int, string } = types;

function find(text: string, pattern: string): string {
  const matcher = regex(pattern).matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

/** Returns all matches, or the first ones; a negative limit means no limit. */
function findAll(text: string, pattern: string, limit: Int = -1): CelList {
  const matcher = regex(pattern).matcher(text);
  const found: string[] = [];
  const most = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  while (found.length < most && matcher.find()) found.push(matcher.group() ?? "");
  return new NativeList(found);
}

/** The functions of the regex library. */
export const regexes: readonly FunctionDecl[] = [
  declare("find", method("string_find_string", [string, string], string, find)),
  declare(
    "findAll",
    method("string_find_all_string", [string, string], listType(string), findAll),
    method("string_find_all_string_int", [string, string, int], listType(string), findAll),
  ),
];
