import { isObject } from "@tsbuilder/apimachinery/json";
import type { Kind, KubernetesList, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { PageOptions } from "./options.ts";
import { malformed, parseAnswer } from "./parse-answer.ts";
import { selectionQuery } from "./selection-query.ts";
import type { RawRequest, RawResponse } from "../http/transport.ts";

/** Reads a list page by page, with one request per page. */
export async function* listPages<T extends KubernetesObject>(
  kind: Kind<T>,
  path: string,
  options: PageOptions,
  send: (request: RawRequest) => Promise<RawResponse>,
): AsyncGenerator<KubernetesList<T>> {
  const { pageSize = 500, resourceVersion, resourceVersionMatch, signal } = options;
  let token: string | undefined;
  do {
    // A continue token includes its version; the server rejects requests with both.
    const version = token === undefined ? { resourceVersion, resourceVersionMatch } : { continue: token };
    const query = { limit: pageSize, ...version, ...selectionQuery(options) };
    const { text } = await send({ path, query, signal });
    const page = parseAnswer(text, `GET ${path}`) as KubernetesList<T>;
    page.items ??= [];
    if (![page.metadata, ...page.items].every(isObject)) throw malformed(text, `GET ${path}`);
    for (const item of page.items) completeItem(kind, item);
    yield page;
    token = page.metadata.continue || undefined;
  } while (token !== undefined);
}

/** Lists of built-in kinds omit these two in their items, and metadata-only lists name the wrong kind. */
function completeItem(kind: Kind, item: KubernetesObject): void {
  item.apiVersion ??= kind.apiVersion;
  item.kind ??= kind.kind;
}
