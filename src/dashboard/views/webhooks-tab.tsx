import type { Track } from "../history/history.ts";
import { CallLine } from "./call-line.tsx";
import { usePage } from "./shown.ts";

/** So many are drawn: the last ones. */
const most = 200;

/** What webhooks were asked about the object, the newest first. */
export function WebhooksTab({ track: { place } }: { readonly track: Track }) {
  const { feed, moment } = usePage();
  const past = feed.history.callsAbout(place).filter(({ from }) => from <= moment);
  if (past.length === 0) return <p class="empty">No webhook was asked about it.</p>;
  return (
    <ul class="reconciles">
      {past
        .slice(-most)
        .toReversed()
        .map((call) => (
          <li key={call.uid}>
            <CallLine call={call} />
          </li>
        ))}
      {past.length > most && <li class="dim">and {past.length - most} calls before these</li>}
    </ul>
  );
}
