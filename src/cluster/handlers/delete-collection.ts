import { deleteObject } from "../registry/delete-object.ts";
import { pauseRegularly } from "../registry/pause-regularly.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { StatusError } from "../contract/status-error.ts";
import { readDeleteOptions, warnOfDeletion } from "./delete-options.ts";
import { readListOptions } from "./list-options.ts";
import { listReply, readList } from "./list.ts";
import type { Target } from "./target.ts";
import { deletionOf } from "./write-options.ts";

/** Deletes every object that a list with the same selectors returns, and responds with that list. */
export async function handleDeleteCollection(context: RequestContext, target: Target): Promise<Reply> {
  const options = await readDeleteOptions(context, target);
  const listOptions = readListOptions(context.query, target);
  warnOfDeletion(context, target, options);
  const list = await readList(target, listOptions);
  const write = deletionOf(context, target, { dryRun: options.dryRun, options: options.raw });
  const entries = [];
  const pause = pauseRegularly();
  for (const entry of list.entries) {
    const { name, namespace } = entry.object.metadata;
    await pause();
    try {
      await deleteObject({ ...write, name: name!, namespace: namespace ?? "", ofCollection: true }, options);
      entries.push(entry);
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
    }
  }
  return listReply(context, target, { ...list, entries });
}
