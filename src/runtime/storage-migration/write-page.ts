import type { Kind, KubernetesObject, NamespacedName } from "@tsbuilder/apimachinery/meta";
import { type Client, formatKey, keyOf } from "../client/client.ts";
import { ApiError } from "../errors/api-error.ts";

/** The writes that run at the same time. */
const writers = 10;

/** A page of a list. */
export interface Page {
  readonly items: readonly KubernetesObject[];
  /** The token of the next page; undefined on the last one. */
  readonly continue: string | undefined;
  /** The objects after this page, as the API server estimates them. */
  readonly remaining: number | undefined;
}

/**
 * Lists a page. If the token has expired, such as that of a process that ended minutes ago, the API server's new token is
 * used: objects that were created in the meantime are stored in the new version anyway.
 */
export async function listPage(client: Client, kind: Kind, pageSize: number, token?: string): Promise<Page> {
  try {
    for await (const { items, metadata } of client.pages(kind, { pageSize, continue: token }))
      return { items, continue: metadata.continue || undefined, remaining: metadata.remainingItemCount };
  } catch (error) {
    const fresh = error instanceof ApiError && error.isGone && error.body.metadata?.continue;
    if (fresh && fresh !== token) return await listPage(client, kind, pageSize, fresh);
    throw error;
  }
  throw new Error("a list has at least one page");
}

/**
 * Writes objects as they are: a patch that changes nothing, which the API server stores only if the version changes. An object
 * that was changed or deleted since it was listed needs no write. Returns why objects were rejected; throws errors that a
 * retry may cure.
 */
export async function writeAgain(
  client: Client,
  kind: Kind,
  objects: readonly KubernetesObject[],
): Promise<string[]> {
  const rejections: string[] = [];
  const queue = objects.values();
  const write = async (): Promise<void> => {
    for (const object of queue) {
      const { resourceVersion } = object.metadata;
      const key = keyOf(object as { metadata: NamespacedName });
      try {
        await client.patch(kind, key, { merge: { metadata: { resourceVersion } } });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // A webhook or a quota may respond with these codes, too, and then the object is still stored as it was.
        const mayBeStored = error.isNotFound || error.isConflict;
        if (mayBeStored && (await client.find(kind, key))?.metadata.resourceVersion !== resourceVersion)
          continue;
        if (error.status < 400 || error.status >= 500 || error.status === 429 || error.isUnauthorized)
          throw error;
        rejections.push(`${formatKey(object.metadata)}: ${error.body.message ?? error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return rejections;
}
