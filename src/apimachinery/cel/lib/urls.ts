import { parseRequestURI, type RequestURI, unescapeURL } from "../../schema/formats/go-url.ts";
import type { FunctionDecl, TypeOf } from "../functions/function.ts";
import { declare, listOf, mapOf, method, typed } from "../functions/function.ts";
import { objectType } from "../types/type.ts";
import { EvalError } from "../values/eval-error.ts";
import { Boxed, type CelMap, NativeList, NativeMap, type Value } from "../values/value.ts";

const { bool, string } = typed;

export const urlType: TypeOf<URLValue> = objectType("kubernetes.URL");

class URLValue extends Boxed<RequestURI & { readonly text: string }> {
  readonly celType = urlType;

  equals(other: Value): boolean {
    return other instanceof URLValue && other.content.text === this.content.text;
  }
}

/** Kubernetes' URL library. */
export const urls: readonly FunctionDecl[] = [
  declare("url", "string_to_url", [string], urlType, parse),
  declare("isURL", "is_url_string", [string], bool, (text) => parseRequestURI(text) !== undefined),
  urlMethod("getScheme", "url_get_scheme", (uri) => uri.scheme),
  urlMethod("getHost", "url_get_host", (uri) => uri.host),
  urlMethod("getHostname", "url_get_hostname", (uri) => uri.hostname),
  urlMethod("getPort", "url_get_port", (uri) => uri.port),
  urlMethod("getEscapedPath", "url_get_escaped_path", (uri) => uri.escapedPath),
  method("getQuery", "url_get_query", [urlType], mapOf(string, listOf(string)), queryOf),
];

/** A URL may have a fragment, unlike a request URI. */
function parse(text: string): URLValue {
  const uri = parseRequestURI(text);
  if (!uri) {
    const reason = `parse ${JSON.stringify(text)}: invalid URI for request`;
    throw new EvalError(`URL parse error during conversion from string: ${reason}`);
  }
  const hash = text.indexOf("#");
  const plain = hash === -1 ? uri : parseRequestURI(text.slice(0, hash));
  return new URLValue({ ...(plain ?? uri), text });
}

/** Returns all values of all parameters; omits malformed ones. */
function queryOf({ content }: URLValue): CelMap {
  const values = new Map<string, string[]>();
  for (const pair of content.rawQuery.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const key = unescapeURL(equals === -1 ? pair : pair.slice(0, equals), { plusIsSpace: true });
    const value = unescapeURL(equals === -1 ? "" : pair.slice(equals + 1), { plusIsSpace: true });
    if (key !== undefined && value !== undefined) values.set(key, [...(values.get(key) ?? []), value]);
  }
  return new NativeMap(Array.from(values, ([key, list]) => [key, new NativeList(list)] as const));
}

function urlMethod(name: string, id: string, read: (uri: RequestURI) => string): FunctionDecl {
  return method(name, id, [urlType], string, ({ content }) => read(content));
}
