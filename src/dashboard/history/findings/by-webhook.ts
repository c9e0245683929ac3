import type { RecordedAdmission } from "../../../dev/record/recorded-call.ts";
import type { Episode } from "./episodes.ts";

/** Puts together what happened with the same webhook: it is told once, with all objects and fields. */
export function byWebhook<Detail extends { readonly first: RecordedAdmission }>(
  episodes: readonly Readonly<Episode<Detail>>[],
): (readonly Readonly<Episode<Detail>>[])[] {
  const groups = new Map<string, Readonly<Episode<Detail>>[]>();
  for (const episode of episodes) {
    const { webhook } = episode.detail.first;
    groups.set(webhook, [...(groups.get(webhook) ?? []), episode]);
  }
  return [...groups.values()];
}
